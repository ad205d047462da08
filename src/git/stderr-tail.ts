// The last words of a git process: without progress and our own folder, without credentials, short enough for a message.
import { REDACTED } from '../core/redacted.ts';

const KEPT = 16_384;
// The folder that it clones into is an inner path of the server, and its name could be taken for a cause.
const PROGRESS =
  /^(?:remote: )?(?:Cloning into|Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Unpacking|Updating|Finding|Total|Filtering)\b/;

export interface StderrTail {
  add(chunk: Buffer): void;
  /** At most 2,000 characters, lines that matter only. */
  text(): string;
}

/** `secrets` are removed by their exact value, and whatever stands between `//` and `@` in an address. */
export function createStderrTail(secrets: readonly string[]): StderrTail {
  let kept = '';
  return {
    add(chunk) {
      const all = kept + chunk.toString('utf8');
      // Without its beginning a line is not known for what it is.
      kept = all.length > KEPT ? all.slice(-KEPT).replace(/^[^\r\n]*[\r\n]/, '') : all;
    },
    text() {
      const lines = kept.split(/[\r\n]+/).filter((line) => line.trim() !== '' && !PROGRESS.test(line));
      return scrub(lines.join('\n'), secrets).slice(-2_000);
    },
  };
}

function scrub(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== '');
  const without = known.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return without.replaceAll(/\/\/[^/@\s'"]+@/g, `//${REDACTED}@`);
}
