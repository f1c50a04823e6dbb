// What scripts usually do. The functions of the engine that run while this does are loaded
// first; what is rare, such as regular expressions, generators, proxies, typed arrays or
// big integers, is left out, so that a first script starts sooner.
const rows = host.call("GET", "/notes?limit=" + input.limit, undefined);
host.call("POST", `/${workspace_id}/notes`, { title: "x", properties: { Status: "open", Tags: ["a", "b"], Hours: 2.5 } });
let missing = 0;
try {
  host.call("GET", "/notes/missing");
} catch (error) {
  if (!(error instanceof HostCallError) || error.status !== 404) throw error;
  missing++;
  console.error(error.message, error);
}
class Counter {
  #counts = new Map();
  add(key, by = 1) {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
    return this;
  }
  get size() {
    return this.#counts.size;
  }
  top(n) {
    return [...this.#counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).slice(0, n);
  }
  static of(...keys) {
    const counter = new Counter();
    for (const key of keys) counter.add(key);
    return counter;
  }
}
const counter = Counter.of("b", "a", "b").add("c", 2);
const text = rows.map((row) => `- ${row.title} (${(row.tags ?? []).join(", ")})`).join("\n");
const words = text.toLowerCase().split(" ").filter((word) => word.trim().length > 1 && !word.startsWith("(") && word.includes("e"));
const byStatus = {};
for (const { properties: { Status, ...others } } of rows) (byStatus[Status] ||= []).push(Object.keys(others).length);
for (const key in byStatus) if (Object.hasOwn(byStatus, key)) counter.add(key);
for (const [key, value] of Object.entries({ ...byStatus, extra: [1, 2] })) counter.add(key, value.length);
let sum = 0;
for (let i = 0, values = [3, 1, 2]; i < values.length; i++) {
  if (values[i] === 2) continue;
  sum += values[i] * 1.5 + (i % 2);
}
const seen = new Set(input.names);
const numbers = Array.from({ length: 5 }, (_, i) => i ** 2);
const sorted = numbers.concat([10, 9]).sort((a, b) => a - b).reverse();
const total = sorted.reduce((a, b) => a + b, 0) + numbers.findIndex((n) => n > 3) + (numbers.some((n) => n > 8) ? 1 : 0);
const notes = await Promise.all([1, 2].map(async (n) => n * (await Promise.resolve(2))));
switch (typeof notes) {
  case "object":
    console.log("total", total, { sum, seen: [...seen], first: sorted[0], last: sorted.at(-1) });
}
const rounded = Math.round(sum) + Math.max(...numbers) + Math.floor(Number("2.5")) + parseInt("12", 10);
delete byStatus.extra;
JSON.parse(JSON.stringify({ text, words, missing, size: counter.size, top: counter.top(2), rounded: rounded.toFixed(1), notes,
  cut: text.slice(2, 9).indexOf("x"), padded: String(sum).padStart(4, "0"), replaced: text.replaceAll("-", "*"), has: seen.has("a"), day: "2026-11-28T10:00".substring(0, 10),
  nothing: undefined ?? null, nested: { a: [1, [2]], b: rows[0]?.properties?.Due } }, null, 2));
