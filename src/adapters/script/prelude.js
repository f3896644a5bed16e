// What every script finds, run once before the sandbox is photographed. It takes away what could
// tell one evaluation of another, freezes the rest, and answers with the function that runs a
// script. Nothing of it can be reached or changed by a script.
"use strict";
(() => {
  const { apply, ownKeys, getPrototypeOf, setPrototypeOf } = Reflect;
  const { defineProperty, deleteProperty } = Reflect;
  const { freeze, keys, prototype: plain } = Object;
  const describe = Object.getOwnPropertyDescriptor;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const ErrorBase = Error;
  const { imul } = Math;
  const getTime = Date.prototype.getTime;
  const toISOString = Date.prototype.toISOString;
  const stackOf = describe(Error.prototype, "stack")?.get;
  const { slice, toWellFormed } = String.prototype;
  const DateNow = Date;
  const depthMax = 64;

  // --- the recorded draw ------------------------------------------------------------------------

  // sfc32, from the 64 bits of the evaluation's seed.
  let a = 0, b = 0, c = 0, count = 1;
  const word = () => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  const seed = (high, low) => {
    a = high | 0;
    b = low | 0;
    c = imul(high ^ low, 0x9e3779b9);
    count = 1;
    for (let i = 0; i < 12; ++i) word();
  };
  const hex = (number, digits) => {
    let text = "";
    for (let shift = digits * 4 - 4; shift >= 0; shift -= 4) {
      text += "0123456789abcdef"[(number >>> shift) & 15];
    }
    return text;
  };
  const given = {
    now() {
      return apply(toISOString, new DateNow(), []);
    },
    uuid() {
      const [first, second, third, fourth] = [word(), word(), word(), word()];
      return hex(first, 8) + "-" + hex(second >>> 16, 4) + "-4" + hex(second & 0xfff, 3) + "-" +
        hex((third >>> 16 & 0x3fff) | 0x8000, 4) + "-" + hex(third & 0xffff, 4) + hex(fourth, 8);
    },
  };
  const random = {
    random() {
      return ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992;
    },
  };

  // --- results ----------------------------------------------------------------------------------

  // Whether `value` is JSON as it stands, so that stringify loses nothing. Undefined members are
  // left out by stringify, as everywhere in JavaScript.
  const isJson = (value, depth) => {
    switch (typeof value) {
      case "string": case "boolean": return true;
      case "number": return value - value === 0;
      case "object": break;
      default: return false;
    }
    if (value === null) return true;
    if (depth === depthMax) return false;
    if (isArray(value)) {
      for (let i = 0; i < value.length; ++i) {
        if (!isJson(value[i], depth + 1)) return false;
      }
      return true;
    }
    const parent = getPrototypeOf(value);
    if (parent !== plain && parent !== null) return isInstant(value);
    for (const key of keys(value)) {
      const member = value[key];
      if (member !== undefined && !isJson(member, depth + 1)) return false;
    }
    return true;
  };
  const isInstant = (value) => {
    if (getPrototypeOf(value) !== DateNow.prototype || keys(value).length > 0) return false;
    const time = apply(getTime, value, []);
    return time - time === 0;
  };

  // The first piece that is not JSON, in words. Slow: only for a result that is refused.
  const flaw = (value, path, above) => {
    switch (typeof value) {
      case "string": case "boolean": return "";
      case "number": return value - value === 0 ? "" : path + " is " + value;
      case "object": break;
      case "undefined": return path + " is undefined";
      default: return path + " is a " + typeof value;
    }
    if (value === null) return "";
    for (let i = 0; i < above.length; ++i) {
      if (above[i] === value) return path + " contains itself";
    }
    if (above.length === depthMax) return path + " is nested deeper than " + depthMax + " levels";
    const inside = [...above, value];
    if (isArray(value)) {
      for (let i = 0; i < value.length; ++i) {
        const found = flaw(value[i], path + "[" + i + "]", inside);
        if (found !== "") return found;
      }
      return "";
    }
    const parent = getPrototypeOf(value);
    if (parent !== plain && parent !== null) {
      return isInstant(value) ? "" : path + " is " + nameOf(value);
    }
    for (const key of keys(value)) {
      if (value[key] === undefined) continue;
      const found = flaw(value[key], path + "." + key, inside);
      if (found !== "") return found;
    }
    return "";
  };
  const nameOf = (value) => {
    if (getPrototypeOf(value) === DateNow.prototype) return "an invalid Date";
    const made = value.constructor;
    const name = typeof made === "function" ? made.name : "";
    return typeof name === "string" && name !== "" ? "a " + name : "not a plain object";
  };

  // --- running ----------------------------------------------------------------------------------

  // The answer is a letter and a text: v and the value; u when it is undefined; n and why it is no
  // JSON; e and what was thrown, with the place.
  const short = (text) => apply(toWellFormed, apply(slice, "" + text, [0, 1000]), []);
  const failed = (error) => {
    if (!(error instanceof ErrorBase)) {
      const text = typeof error === "string" ? error : isJson(error, 0) ? stringify(error) : "";
      return "e" + stringify(["", short(text) || "a value that is not an Error was thrown", ""]);
    }
    const stack = stackOf === undefined ? "" : apply(stackOf, error, []);
    return "e" + stringify([short(error.name), short(error.message), short(stack)]);
  };
  const run = (script, text, high, low) => {
    seed(high, low);
    const scope = parse(text);
    setPrototypeOf(scope, null);
    try {
      const value = apply(script, scope.this, [scope]);
      if (isJson(value, 0)) return "v" + stringify(value);
      if (value === undefined) return "u";
      return "n" + short(flaw(value, "the result", []) || "the result is not JSON");
    } catch (error) {
      try {
        return failed(error);
      } catch {
        return 'e["","the script failed and does not let itself be asked why",""]';
      }
    }
  };

  // --- closing the doors ------------------------------------------------------------------------

  defineProperty(Math, "random", { value: random.random });
  for (const name of ownKeys(given)) defineProperty(globalThis, name, { value: given[name] });
  // Ways to keep something for the next evaluation, to reach the frames of this file, or to put
  // something off until it is unobserved.
  for (const name of ["prepareStackTrace", "stackTraceLimit", "captureStackTrace"]) {
    deleteProperty(Error, name);
  }
  for (const name of ["queueMicrotask", "SharedArrayBuffer", "eval"]) {
    deleteProperty(globalThis, name);
  }

  // A frozen prototype would also forbid `copy.toString = ...` on the objects that inherit from it.
  const overridable = (prototype) => {
    for (const key of ownKeys(prototype)) {
      const { value, configurable, enumerable } = describe(prototype, key);
      if (value === undefined || !configurable) continue;
      defineProperty(prototype, key, {
        get: () => value,
        set(mine) {
          if (this === prototype) throw new TypeError("'" + String(key) + "' is read-only");
          defineProperty(this, key, { value: mine, writable: true, enumerable: true,
                                      configurable: true });
        },
        enumerable,
      });
    }
  };
  const seen = new Set();
  const close = (value) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
    if (seen.has(value)) return;
    seen.add(value);
    freeze(value);
    close(getPrototypeOf(value));
    for (const key of ownKeys(value)) {
      const { value: member, get, set } = describe(value, key);
      close(member);
      close(get);
      close(set);
    }
  };
  for (const each of [Object, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError,
                      URIError]) {
    overridable(each.prototype);
  }
  close(globalThis);
  // What only syntax reaches.
  close(function* () {});
  close(async function () {});
  close(async function* () {});
  close([][Symbol.iterator]());
  close(""[Symbol.iterator]());
  close("".matchAll(/./g));
  close(new Map().entries());
  close(new Set().values());
  close((function* () {})());
  close((async function* () {})());
  close([].values().map((each) => each));
  return run;
})();
