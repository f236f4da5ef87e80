import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Hides /proc and /sys, which macOS does not have, from everything that this process reads. */
const hidden = (path) => /^\/(?:proc|sys)(?:\/|$)/.test(String(path));

function missing(call, path) {
  const text = `ENOENT: no such file or directory, ${call} '${path}'`;
  return Object.assign(new Error(text), { code: 'ENOENT', errno: -2, syscall: call, path: String(path) });
}

for (const name of ['readFileSync', 'readdirSync', 'readlinkSync', 'openSync', 'statSync', 'accessSync', 'lstatSync']) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    if (hidden(path)) throw missing(name, path);
    return real(path, ...rest);
  };
}
for (const name of ['readFile', 'readdir', 'readlink', 'open', 'stat', 'access', 'lstat']) {
  const real = fs.promises[name];
  fs.promises[name] = async (path, ...rest) => {
    if (hidden(path)) throw missing(name, path);
    return await real(path, ...rest);
  };
}
const { existsSync } = fs;
fs.existsSync = (path) => !hidden(path) && existsSync(path);
syncBuiltinESMExports();
