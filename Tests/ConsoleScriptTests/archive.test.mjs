// The archive of logs that are sent together: node --test Tests/ConsoleScriptTests
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import "./page.mjs";

const { archive } = await import("../../Sources/Feeding/ConsolePages/Assets/console.mjs");

/** A file of the browser. */
function file(name, contents, lastModified) {
  return Object.assign(new Blob([contents]), { name, lastModified });
}

async function tar(files, ...words) {
  const input = Buffer.from(await archive(files).arrayBuffer());
  assert.equal(input.length % 512, 0);
  return execFileSync("tar", words, { input }).toString();
}

test("An archive has each file with its contents, the oldest first", async () => {
  const files = [file("WFE2-20260102-0304.log", "b".repeat(512), 2), file("WFE1-20260102-0304.log", "a\n", 1), file("empty", "", 3)];
  assert.equal(await tar(files, "-tf", "-"), "WFE1-20260102-0304.log\nWFE2-20260102-0304.log\nempty\n");
  assert.equal(await tar(files, "-xOf", "-"), `a\n${"b".repeat(512)}`);
});

test("A name leads to no other folder, and stands for one file", async () => {
  const files = ["../../etc/passwd", "a b\n.log", "x".repeat(300) + ".log", "same.log", "same.log"]
    .map((name, index) => file(name, String(index), index));
  const names = (await tar(files, "-tf", "-")).trimEnd().split("\n");
  assert.deepEqual([names[0], names[1], names[3], names[4]], [".._.._etc_passwd", "a_b_.log", "same.log", "4/same.log"]);
  assert.ok(names[2].length === 80 && names[2].endsWith("x.log"));
  assert.equal(await tar(files, "-xOf", "-"), "01234");
});
