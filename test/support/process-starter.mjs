// Starts programs for a test process: a start copies the page tables of whoever starts, and those of a test process are large.
import { execFile } from 'node:child_process';

process.on('message', ({ id, file, args, env, input }) => {
  const child = execFile(file, args, { env, encoding: 'buffer', maxBuffer: 1024 ** 3 }, (error, stdout, stderr) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
    if (process.connected) process.send({ id, code, stdout, stderr, complaint: error?.message ?? '' });
  });
  // A program that ended before it read everything says so by its exit code.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
});
process.on('disconnect', () => process.exit());
