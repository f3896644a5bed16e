// Ends by: thrown
return (function () { return arguments.callee.caller; })();
