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
  const { defineProperty, freeze, getOwnPropertyNames, keys, prototype } = Object;
  const { apply } = Reflect;
  const { isArray } = Array;
  const asText = String, NoJSON = TypeError, AnyError = Error, NoText = SyntaxError;
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

  // What JSON has no form for has one here, or an error: {} would lose it without a word.
  const writeAs = (of, toJSON) =>
    defineProperty(of.prototype, "toJSON", { __proto__: null, value: toJSON, writable: true, configurable: true });
  writeAs(Map, function toJSON() { return [...this]; });
  writeAs(Set, function toJSON() { return [...this]; });
  writeAs(Error, function toJSON() { return { name: this.name, message: this.message, ...this }; });
  writeAs(BigInt, function toJSON() { throw new NoJSON("a BigInt has no form in JSON: write Number(n) or String(n)"); });
  writeAs(Promise, function toJSON() { throw new NoJSON("a promise has no form in JSON: await it, or await Promise.all(list)"); });

  // No program reads what is beyond the numbers as a number.
  const { rawJSON } = JSON, { isFinite } = Number;
  defineProperty(JSON, "rawJSON", {
    __proto__: null, writable: true, configurable: true,
    value: {
      rawJSON(text) {
        const raw = rawJSON(text), value = parse(raw.rawJSON);
        if (typeof value === "number" && !isFinite(value)) {
          throw new NoText(`JSON.rawJSON: ${cut(raw.rawJSON, 0, 20)} is larger than any number that programs read: write it as a string`);
        }
        return raw;
      },
    }.rawJSON,
  });

  const copy = (value, copies) => {
    if (typeof value === "function" || typeof value === "symbol" || [Promise, WeakMap, WeakSet, WeakRef].some((kind) => value instanceof kind)) {
      throw new NoJSON(`structuredClone cannot copy a ${typeof value === "object" ? value.constructor.name : typeof value}`);
    }
    if (typeof value !== "object" || value === null) return value;
    if (copies.has(value)) return copies.get(value);
    const keep = (made) => (copies.set(value, made), made);
    if (value instanceof Date) return keep(new Date(+value));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) return keep(new value.constructor(copy(value.buffer, copies), value.byteOffset, value.length ?? value.byteLength));
    if (value instanceof Map || value instanceof Set) {
      const made = keep(value instanceof Map ? new Map() : new Set());
      for (const entry of [...value]) made instanceof Map ? made.set(copy(entry[0], copies), copy(entry[1], copies)) : made.add(copy(entry, copies));
      return made;
    }
    const made = keep(isArray(value) ? new Array(value.length) : value instanceof AnyError ? new AnyError(value.message) : {});
    const put = (name, of, enumerable) => defineProperty(made, name, { __proto__: null, value: of, writable: true, enumerable, configurable: true });
    if (value instanceof AnyError) put("name", value.name, false);
    for (const name of keys(value)) put(name, copy(value[name], copies), true);
    return made;
  };
  defineProperty(globalThis, "structuredClone", {
    __proto__: null, writable: true, configurable: true, value: { structuredClone(value) { return copy(value, new Map()); } }.structuredClone,
  });

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
