#include "git_programs.h"

namespace baton::security {

namespace {

std::vector<GitProgram> by_attributes() {
  return {
      // Attributes that a project's own files give to its files.
      {"clean", {"filter.clean.clean", "@", "filter.clean.required", "true"}, "git status"},
      {"process", {"filter.process.process", "@"}, "git status"},
      {"nameless", {"filter..clean", "@"}, "echo '*.plain filter=' > .gitattributes; git status"},
      {"odd-name",
       {R"(filter.we=ird"q.clean)", "@"},
       "echo '*.plain filter=we=ird\"q' > .gitattributes; git status"},
      {"smudge", {"filter.smudge.smudge", "@"}, "rm f.smudge; git checkout f.smudge"},
      {"textconv", {"diff.textconv.textconv", "@"}, "echo x >> f.textconv; git diff"},
      {"diff-command", {"diff.command.command", "@"}, "echo x >> f.command; git diff"},
      {"diff-external", {"diff.external", "@"}, "echo x >> f.plain; git diff"},
      {"merge-driver", {"merge.driver.driver", "@"}, "git merge side"},
  };
}

std::vector<GitProgram> by_settings() {
  return {
      // What git starts beside its work. Where git falls back to vim, VIMINIT ends it.
      {"fsmonitor", {"core.fsmonitor", "@"}, "git status"},
      {"pager", {"core.pager", "@"}, "script -qec 'git log' /dev/null"},
      {"pager-of-log", {"pager.log", "@"}, "script -qec 'git log' /dev/null"},
      {"editor", {"core.editor", "@"}, "git commit --allow-empty"},
      {"sequence-editor", {"sequence.editor", "@"}, "git rebase -i HEAD~1"},
      {"diff-filter",
       {"interactive.diffFilter", "@"},
       "echo x >> f.plain; script -qec 'git add -p' /dev/null"},
      {"difftool",
       {"diff.tool", "t", "difftool.t.cmd", "@"},
       "echo x >> f.plain; VIMINIT=qa! git difftool -y"},
      {"difftool-path",
       {"diff.tool", "meld", "difftool.meld.path", "@"},
       "echo x >> f.plain; VIMINIT=qa! git difftool -y"},
      {"mergetool",
       {"merge.tool", "t", "mergetool.t.cmd", "@"},
       "git merge side; VIMINIT=qa! git mergetool -y"},
      {"mergetool-path",
       {"merge.tool", "meld", "mergetool.meld.path", "@"},
       "git merge side; VIMINIT=qa! git mergetool -y"},
      {"archive", {"tar.x.command", "@"}, "git archive --format=x HEAD"},
      {"browser-path",
       {"web.browser", "firefox", "browser.firefox.path", "@"},
       "git web--browse http://host"},
      {"browser", {"web.browser", "t", "browser.t.cmd", "@"}, "git web--browse http://host"},
      {"man", {"man.viewer", "t", "man.t.cmd", "@"}, "git help -m git"},
      {"man-path", {"man.viewer", "man", "man.man.path", "@"}, "git help -m git"},
      {"trailer-command",
       {"trailer.t.command", "@"},
       "echo m | git interpret-trailers --trailer t=v"},
      {"trailer-cmd", {"trailer.u.cmd", "@"}, "echo m | git interpret-trailers --trailer u=v"},
      {"alias", {"alias.x", "!@"}, "git x"},
      {"submodule",
       {"submodule.sub.update", "!@"},
       "git -c protocol.file.allow=always submodule add -q ./. sub; git -C sub checkout -q HEAD~1; "
       "git -c protocol.file.allow=always submodule update"},
      // Signatures.
      {"gpg", {"gpg.program", "@"}, "git commit -S --allow-empty -m x"},
      {"gpg-openpgp", {"gpg.openpgp.program", "@"}, "git commit -S --allow-empty -m x"},
      {"gpg-x509",
       {"gpg.format", "x509", "gpg.x509.program", "@"},
       "git commit -S --allow-empty -m x"},
  };
}

std::vector<GitProgram> by_signing_and_others() {
  return {
      {"gpg-ssh",
       {"gpg.format", "ssh", "gpg.ssh.program", "@", "user.signingKey", "key::x"},
       "git commit -S --allow-empty -m x"},
      {"gpg-key",
       {"gpg.format", "ssh", "gpg.ssh.defaultKeyCommand", "@"},
       "git commit -S --allow-empty -m x"},
      {"gpg-verify", {"log.showSignature", "true", "gpg.program", "@"}, "git log signed"},
      // Ways to other repositories.
      {"ssh", {"core.sshCommand", "@"}, "git ls-remote ssh://host/x"},
      {"git-proxy", {"core.gitProxy", "@"}, "git ls-remote git://host/x"},
      {"askpass", {"core.askPass", "@"}, "echo url=https://host/ | git credential fill"},
      {"credential", {"credential.helper", "@"}, "echo url=https://host/ | git credential fill"},
      {"credential-of-url",
       {"credential.https://host.helper", "@"},
       "echo url=https://host/ | git credential fill"},
      {"uploadpack", {"remote.u.url", ".", "remote.u.uploadpack", "@"}, "git ls-remote u"},
      {"receivepack",
       {"remote.r.url", ".", "remote.r.receivepack", "@"},
       "git push r HEAD:refs/heads/x"},
      {"external-transport",
       {"remote.e.url", "ext::@", "protocol.ext.allow", "always"},
       "git ls-remote e"},
      {"rewritten-transport",
       {"url.ext::@ .insteadOf", "https://", "protocol.ext.allow", "always"},
       "git ls-remote https://host/x"},
      {"alternate-refs",
       {"core.alternateRefsCommand", "@"},
       "git init -q alt; echo $PWD/alt/.git/objects > .git/objects/info/alternates; "
       "git rev-list --alternate-refs"},
      // A commit that is not there is fetched when git is asked for it.
      {"lazy-fetch",
       {"core.repositoryFormatVersion", "1", "extensions.partialClone", "p", "remote.p.promisor",
        "true", "remote.p.url", ".", "remote.p.uploadpack", "@"},
       "git rev-parse --verify --quiet 0123456789012345678901234567890123456789^{commit}",
       false},
      // Hooks, by the folder that holds programs of these names.
      {"pre-commit", {"core.hooksPath", "%"}, "git commit --allow-empty -m x"},
      {"reference-transaction", {"core.hooksPath", "%"}, "git update-ref refs/heads/z HEAD"},
      {"post-index-change", {"core.hooksPath", "%"}, "git update-index --refresh"},
  };
}

}  // namespace

const std::vector<GitProgram>& git_programs() {
  static const std::vector<GitProgram> all = [] {
    std::vector<GitProgram> out = by_attributes();
    for (auto part : {by_settings(), by_signing_and_others()}) {
      for (GitProgram& each : part) out.push_back(std::move(each));
    }
    return out;
  }();
  return all;
}

const std::vector<std::string_view>& other_program_settings() {
  static const std::vector<std::string_view> all = {"uploadpack.packObjectsHook",
                                                    "@",
                                                    "gc.recentObjectsHook",
                                                    "@",
                                                    "hook.h.command",
                                                    "@",
                                                    "hook.h.event",
                                                    "pre-commit",
                                                    "core.virtualFilesystem",
                                                    "@",
                                                    "core.useBuiltinFSMonitor",
                                                    "true",
                                                    "imap.tunnel",
                                                    "@",
                                                    "instaweb.httpd",
                                                    "@",
                                                    "sendemail.smtpServer",
                                                    "@",
                                                    "sendemail.toCmd",
                                                    "@",
                                                    "sendemail.sendmailCmd",
                                                    "@",
                                                    "guitool.t.cmd",
                                                    "@",
                                                    "remote.v.vcs",
                                                    "@",
                                                    "init.templateDir",
                                                    "@",
                                                    "submodule.recurse",
                                                    "true",
                                                    "fetch.recurseSubmodules",
                                                    "true",
                                                    "status.submoduleSummary",
                                                    "true",
                                                    "diff.submodule",
                                                    "log"};
  return all;
}

}  // namespace baton::security
