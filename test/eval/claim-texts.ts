// Whether two texts name the same thing: `x.py", line 3` and `x.py:3`, `Cart#total` and `total`.

export type Known =
  | { readonly kind: 'line'; readonly file: string; readonly line: number }
  | { readonly kind: 'path' | 'commit' | 'version' | 'message'; readonly text: string }
  | { readonly kind: 'name'; readonly parts: readonly string[] };

const LINE = /([\w@.~$-]+\.\w{1,10})["'`)]*(?::line |:|#L|",? line |,? lines? |\()(\d+)/;
const LINE_ALONE = /^\(?lines? (\d+)\)?$/;
const COMMIT = /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/;
const VERSION = /(?<![\w.])(?:v|[\w.-]+[ @-]v?|\w+ ?== ?)?(\d+\.\d+[\w.-]*)$/;

export function knowText(text: string): Known {
  const [, file = '', line = ''] = LINE.exec(text) ?? [];
  if (line !== '') return { kind: 'line', file: file.toLowerCase(), line: Number(line) };
  const [, alone = ''] = LINE_ALONE.exec(text.trim()) ?? [];
  if (alone !== '') return { kind: 'line', file: '', line: Number(alone) };
  const [commit] = COMMIT.exec(text) ?? [];
  if (commit !== undefined) return { kind: 'commit', text: commit };
  const plain = text.replaceAll(/[`'"]/g, '').trim();
  if (/\.\w{1,10}$/.test(plain) && /[\\/]/.test(plain)) {
    return {
      kind: 'path',
      text: plain
        .replaceAll('\\', '/')
        .replace(/^(?:\.?\/|[A-Z]:\/)+/i, '')
        .toLowerCase(),
    };
  }
  const [, version] = /[()]/.test(plain) ? [] : (VERSION.exec(plain) ?? []);
  if (version !== undefined) return { kind: 'version', text: version };
  const bare = plain.replace(/^new /, '');
  if (/\s/.test(bare.replace(/\(.*/, ''))) return { kind: 'message', text: bare.toLowerCase() };
  const name = bare
    .replace(/^(?:-D|--?)/, '')
    .replace(/\([^()]*\)?$/, '')
    .replace(/(?<=\w)\/\d{1,2}$/, '')
    .replace(/=.*$/, '');
  const parts = name
    .replaceAll(/\(\*(\w+)\)/g, '$1')
    .replaceAll(/[&!?]/g, '')
    .split(/\.|::|#|->|\//);
  return { kind: 'name', parts: parts.filter((part) => part !== '') };
}

export function agree(one: Known, other: Known): boolean {
  // A line of a file that is not there.
  if (one.kind === 'path' && other.kind === 'line') return other.file !== '' && one.text.endsWith(`/${other.file}`);
  if (one.kind === 'line' && other.kind === 'path') return agree(other, one);
  if (one.kind === 'line' && other.kind === 'line') {
    return one.line === other.line && (one.file === other.file || one.file === '' || other.file === '');
  }
  if (one.kind === 'name' && other.kind === 'name') {
    const shared = Math.min(one.parts.length, other.parts.length);
    return shared > 0 && one.parts.slice(-shared).join('.') === other.parts.slice(-shared).join('.');
  }
  if (one.kind === 'line' || one.kind === 'name' || other.kind === 'line' || other.kind === 'name') return false;
  if (one.kind !== other.kind) return false;
  if (one.kind === 'path')
    return `/${one.text}`.endsWith(`/${other.text}`) || `/${other.text}`.endsWith(`/${one.text}`);
  if (one.kind === 'version') return one.text === other.text;
  return one.text.includes(other.text) || other.text.includes(one.text);
}
