// What a script finds besides the language. It is evaluated once, into the image
// that every script starts from, and captures what it needs of the language:
// scripts may replace any of it, and see only their own replacement.
(() => {
  "use strict";
  const { ask, write, done, failed } = globalThis.native;
  delete globalThis.native;
  delete globalThis.performance; // a clock
  delete globalThis.SharedArrayBuffer; // there are no threads

  const { stringify, parse } = JSON;
  const { defineProperty, freeze, getOwnPropertyNames, prototype } = Object;
  const { apply } = Reflect;
  const { isArray } = Array;
  const asText = String, NoJSON = TypeError, AnyError = Error;
  const { slice, indexOf } = asText.prototype;
  const { toString } = prototype;
  const cut = (text, from, to) => apply(slice, text, [from, to]);
  const constant = (object, name, value, configurable = false) =>
    defineProperty(object, name, { __proto__: null, value, enumerable: true, writable: false, configurable });

  let isHostCallError;
  class HostCallError extends Error {
    #host = true;
    static {
      isHostCallError = (error) => typeof error === "object" && error !== null && #host in error;
    }
    constructor(message, status, body) {
      super(message);
      constant(this, "status", status);
      constant(this, "body", body);
    }
  }
  defineProperty(HostCallError.prototype, "name", { __proto__: null, value: "HostCallError", writable: true, configurable: true });
  defineProperty(globalThis, "HostCallError", { __proto__: null, value: HostCallError, writable: true, configurable: true });

  const call = (method, path, body) => {
    const sent = body === undefined ? "" : stringify(body);
    if (sent === undefined) throw new NoJSON("the body of host.call cannot be written as JSON");
    method = asText(method);
    path = asText(path);
    const answer = sent === "" ? ask(method, path) : ask(method, path, sent);
    if (answer === "") return null;
    if (answer[0] === ">") {
      const end = apply(indexOf, answer, ["\n"]);
      const part = parse(cut(answer, end + 1));
      defineProperty(part, "next", { __proto__: null, value: cut(answer, 1, end), writable: true, configurable: true });
      return part;
    }
    if (answer[0] !== "!") return parse(answer); // as it came: to cut it would copy it
    const status = +cut(answer, 1, 4);
    const value = answer.length > 4 ? parse(cut(answer, 4)) : null;
    const detail = typeof value?.detail === "string" ? ": " + value.detail : "";
    throw new HostCallError(`${method} ${cut(path, 0, 200)} answered ${status}${detail}`, status, value);
  };
  constant(globalThis, "host", freeze({ __proto__: null, call: freeze(call) }));

  const show = (value) => {
    switch (typeof value) {
      case "string":
        return value;
      case "bigint":
        return asText(value) + "n";
      case "object":
        if (value === null) return "null";
        try {
          if (value instanceof AnyError) return `${value.name}: ${value.message}`;
          return stringify(value) ?? apply(toString, value, []);
        } catch {
          return apply(toString, value, []);
        }
      default:
        return asText(value);
    }
  };
  const console = {};
  for (const [name, level] of [
    ["log", "log"], ["info", "info"], ["warn", "warn"], ["error", "error"], ["debug", "debug"],
    ["trace", "debug"], ["dir", "log"], ["table", "log"],
  ]) {
    console[name] = (...values) => {
      let line = "";
      for (let i = 0; i < values.length; i++) line += (i > 0 ? " " : "") + show(values[i]);
      write(level, line);
    };
  }
  defineProperty(globalThis, "console", { __proto__: null, value: console, writable: true, configurable: true });

  // sfc32: small, fast, and the same everywhere.
  let a = 0, b = 0, c = 0, counter = 1;
  const next = () => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return t >>> 0;
  };
  defineProperty(Math, "random", {
    __proto__: null, writable: true, configurable: true,
    value: { random() { return ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992; } }.random,
  });

  const freezeAll = (value) => {
    if (typeof value !== "object" || value === null) return value;
    freeze(value);
    if (isArray(value)) {
      for (let i = 0; i < value.length; i++) freezeAll(value[i]);
    } else {
      const names = getOwnPropertyNames(value);
      for (let i = 0; i < names.length; i++) freezeAll(value[names[i]]);
    }
    return value;
  };

  // The rest is called by the sandbox.
  let most = 0;
  const begin = (workspace, input, high, low, result) => {
    a = high | 0;
    b = low | 0;
    c = 0;
    counter = 1;
    for (let i = 0; i < 12; i++) next();
    most = result;
    if (workspace !== "") constant(globalThis, "workspace_id", workspace, true);
    constant(globalThis, "input", input === "" ? null : freezeAll(parse(input)), true);
  };

  const describe = (error) => {
    const report = { __proto__: null, name: "", message: "", stack: "", host: false, status: 0, body: null };
    try {
      if (typeof error === "object" && error !== null) {
        report.name = cut(asText(error.name ?? ""), 0, 200);
        report.message = cut(error.message === undefined ? show(error) : asText(error.message), 0, 8192);
        report.stack = typeof error.stack === "string" ? cut(error.stack, 0, 8192) : "";
        if (isHostCallError(error)) {
          report.host = true;
          report.status = error.status;
          report.body = error.body;
        }
      } else {
        report.message = "thrown: " + cut(show(error), 0, 8192);
      }
    } catch {
      report.message ||= "thrown: an object that cannot be described";
    }
    return report;
  };
  const fail = (error) => {
    const report = describe(error);
    let text;
    try {
      text = stringify(report);
    } catch {
      report.body = null;
      text = stringify(report);
    }
    failed(text);
  };
  const settle = async (evaluated) => {
    let value, text;
    try {
      ({ value } = await evaluated);
      value = await value;
    } catch (error) {
      return fail(error);
    }
    try {
      text = stringify(value) ?? "null";
    } catch (error) {
      const report = describe(error);
      report.message = "the result cannot be written as JSON: " + report.message;
      report.name = "";
      return failed(stringify(report));
    }
    done(text.length > most ? cut(text, 0, most + 1) : text, asText(text.length));
  };
  return { begin, fail, settle };
})();
