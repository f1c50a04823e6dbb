// Parses an Org file with uniorg and prints the median time of five runs in seconds.
import { readFileSync } from "node:fs";
import { parse } from "uniorg-parse/lib/parser.js";

const text = readFileSync(process.argv[2], "utf8");
const took = [];
for (let n = 0; n < 5; n++) {
  const began = process.hrtime.bigint();
  parse(text);
  took.push(Number(process.hrtime.bigint() - began) / 1e9);
}
console.log("uniorg", took.sort((a, b) => a - b)[2]);
