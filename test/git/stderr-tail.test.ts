// What is kept of git's last words: what matters of them, however much was said before.
import { expect, it } from 'vitest';
import { createStderrTail } from '../../src/git/stderr-tail.ts';

it.each([0, 20, 60])('names no folder, though progress pushed out the beginning of its line (by %i bytes)', (over) => {
  const tail = createStderrTail([]);
  const cloning = "Cloning into bare repository '/srv/causeway/data/mirrors/prj_a.git-partial-x'...\n";
  const last = 'error: RPC failed\n';
  tail.add(Buffer.from(cloning));
  tail.add(Buffer.from(`Receiving objects:  42%${' '.repeat(16_384 + over - cloning.length - last.length - 24)}\r`));
  tail.add(Buffer.from(last));
  expect(tail.text()).toBe(last.trim());
});
