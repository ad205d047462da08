// The output of `git grep -n -z` as hits, read as it comes, so that no line however long is kept whole.
import type { SearchHit } from '../core/source.ts';
import { decodeOrNull } from './listing.ts';

const MAX_CHARACTERS = 500;
// At most four bytes a character; the rest of a longer line is passed over.
const MAX_FIELD_BYTES = 8_192;

type Field = 'path' | 'line' | 'text';

export interface HitReader {
  add(chunk: Buffer): void;
  readonly hits: readonly SearchHit[];
  /** Hits in files whose names are not UTF-8. */
  readonly unreadable: number;
}

/** `revision`: the sha that git puts before every path. Fields end with NUL, NUL and LF. */
export function createHitReader(revision: string): HitReader {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const hits: SearchHit[] = [];
  let unreadable = 0;
  let field: Field = 'path';
  let parts: Buffer[] = [];
  let kept = 0;
  let path: string | null = null;
  let line = 0;

  function keep(bytes: Buffer): void {
    if (kept >= MAX_FIELD_BYTES) return;
    parts.push(Buffer.from(bytes.subarray(0, MAX_FIELD_BYTES - kept)));
    kept += bytes.length;
  }

  function finish(): void {
    const bytes = Buffer.concat(parts);
    parts = [];
    kept = 0;
    if (field === 'path') {
      path = decodeOrNull(decoder, bytes.subarray(revision.length + 1));
      field = 'line';
    } else if (field === 'line') {
      line = Number(bytes.toString('latin1'));
      field = 'text';
    } else {
      if (path === null) unreadable += 1;
      else hits.push({ path, line, text: shorten(bytes.toString('utf8')) });
      field = 'path';
    }
  }

  return {
    add(chunk) {
      let start = 0;
      while (start < chunk.length) {
        const end = chunk.indexOf(field === 'text' ? 10 : 0, start);
        keep(chunk.subarray(start, end === -1 ? chunk.length : end));
        if (end === -1) return;
        finish();
        start = end + 1;
      }
    },
    hits,
    get unreadable() {
      return unreadable;
    },
  };
}

function shorten(text: string): string {
  const plain = text.endsWith('\r') ? text.slice(0, -1) : text;
  return plain.length > MAX_CHARACTERS ? plain.slice(0, MAX_CHARACTERS) : plain;
}
