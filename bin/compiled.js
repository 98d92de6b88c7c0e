const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const vm = require("node:vm");
const { crc32 } = require("node:zlib");

/** The characters above which a file is worth it. */
const LARGE = 64 * 1024;

const folder = path.join(__dirname, "../dist");
// Absent where the user has turned it off.
const cache = Module.getCompileCacheDir();
if (cache !== undefined) keepCompiled(cache);

/**
 * Keeps the compiled functions of the large files of dist/, which saves a fifth of the processor time
 * of a list: Node's compile cache holds what is compiled when a file is loaded, but most functions are
 * compiled when they are first called, and so at each start.
 *
 * They are kept beside Node's, with all that this and earlier runs have called. A run saves them if it
 * loads a file that no run before it has loaded together with them. What another version of V8 or one
 * with other flags has saved is in another folder, and V8 refuses it; a checksum refuses what is damaged
 * or belongs to another source. Where nothing can be read or saved, functions are compiled as ever.
 * @param {string} cache
 */
function keepCompiled(cache) {
  const names = new Set();
  const kept = [];
  const compile = Module.prototype._compile;
  Module.prototype._compile = function compileKept(text, filename, ...rest) {
    if (path.dirname(filename) !== folder) return compile.call(this, text, filename, ...rest);
    const name = path.basename(filename);
    names.add(name);
    if (text.length < LARGE) return compile.call(this, text, filename, ...rest);
    // By the path, too: several versions of amp share the cache.
    const one = read(path.join(cache, `amp-${crc32(filename).toString(16)}-${name}`), text);
    one.script = new vm.Script(
      `(function (exports, require, module, __filename, __dirname) { ${text}\n})`,
      { filename, cachedData: one.data },
    );
    if (one.script.cachedDataRejected) one.loadedWith = [];
    kept.push(one);
    const run = one.script.runInThisContext();
    return run.call(this.exports, this.exports, (id) => this.require(id), this, filename, folder);
  };
  process.once("exit", () => {
    for (const one of kept) {
      const all = [...new Set([...one.loadedWith, ...names])];
      if (all.length > one.loadedWith.length) save(one, all);
    }
  });
}

/** The compiled functions of a text, and the files that were loaded with it when they were saved. */
function read(file, text) {
  try {
    const bytes = fs.readFileSync(file);
    const end = bytes.indexOf("\n");
    const { loadedWith, checksum } = JSON.parse(bytes.toString("utf8", 0, end));
    const data = bytes.subarray(end + 1);
    if (checksum === checksumOf(text, data)) return { file, text, data, loadedWith };
  } catch {
    // There is none yet, or it is damaged: it will be saved.
  }
  return { file, text, loadedWith: [] };
}

/**
 * Saves as a whole or not at all, for other processes read and save the same file. A draft that is there
 * is of such a process, or of one that was killed: it is removed, and the next run saves.
 */
function save({ file, text, script }, loadedWith) {
  const draft = `${file}.draft`;
  try {
    const data = script.createCachedData();
    const head = `${JSON.stringify({ loadedWith, checksum: checksumOf(text, data) })}\n`;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(draft, Buffer.concat([Buffer.from(head), data]), { mode: 0o600, flag: "wx" });
    fs.renameSync(draft, file);
  } catch {
    fs.rmSync(draft, { force: true });
  }
}

function checksumOf(text, data) {
  return crc32(data, crc32(text));
}
