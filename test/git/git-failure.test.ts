// What git says of a full disk, by its true name: ours, or that of the other side.
import { expect, it } from 'vitest';
import { unreachable } from '../../src/git/git-failure.ts';

const words = (stderr: string) =>
  unreachable('The repository of octo/shop', { kind: 'exited', code: 128 }, stderr).message;

it('names our full disk, whatever git says besides', () => {
  const said =
    'error: RPC failed; curl 56 TLS\nfatal: write error: No space left on device\nfatal: fetch-pack: invalid';
  expect(words(said)).toContain('could not be read. No space left on the disk of DATA_DIR.');
});

it('does not take the full disk of the other side for ours', () => {
  expect(words('remote: fatal: write error: No space left on device\nfatal: early EOF')).not.toContain('DATA_DIR');
});
