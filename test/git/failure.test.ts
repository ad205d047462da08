// What git prints when it fails, as people read it: a full disk by its true name, and no folder of the server.
import { expect, it } from 'vitest';
import { toUnreachable } from '../../src/git/failure.ts';
import { createStderrTail } from '../../src/git/run.ts';

const words = (stderr: string) =>
  toUnreachable('The repository of octo/shop', { kind: 'exited', code: 128 }, stderr).message;

it('names our full disk, whatever git says besides', () => {
  const said =
    'error: RPC failed; curl 56 TLS\nfatal: write error: No space left on device\nfatal: fetch-pack: invalid';
  expect(words(said)).toContain('could not be read. No space left on the disk of DATA_DIR.');
});

it('does not take the full disk of the other side for ours', () => {
  expect(words('remote: fatal: write error: No space left on device\nfatal: early EOF')).not.toContain('DATA_DIR');
});

it.each([0, 20, 60])('names no folder, though progress pushed out the beginning of its line (by %i bytes)', (over) => {
  const tail = createStderrTail([]);
  const cloning = "Cloning into bare repository '/srv/causeway/data/mirrors/prj_a.git-partial-x'...\n";
  const last = 'error: RPC failed\n';
  tail.add(Buffer.from(cloning));
  tail.add(Buffer.from(`Receiving objects:  42%${' '.repeat(16_384 + over - cloning.length - last.length - 24)}\r`));
  tail.add(Buffer.from(last));
  expect(tail.text()).toBe(last.trim());
});
