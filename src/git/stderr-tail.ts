// The last words of a git process: without progress, without credentials, short enough for a message.
import { REDACTED } from '../domain/redacted.ts';

const KEPT = 16_384;
const PROGRESS =
  /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Unpacking|Updating|Finding|Total|Filtering)\b/;

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
      kept = (kept + chunk.toString('utf8')).slice(-KEPT);
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
