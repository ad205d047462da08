// Source without its secrets. A file is cleaned as a whole, and only then shown in parts: one line of a key, or half a token, is one that no rule knows.
import type { FileRead, LineRange, Repository, SearchHit, SourceTree } from '../ports/source.ts';
import type { Redactor } from '../redact/redactor.ts';

/** Files whose cleaned text is kept for the next question about them. */
const KEPT_FILES = 64;
/** What a line must hold to be looked at together with its file: shorter runs are names, and a name alone is no secret. */
const LONG_RUN = /(?=[A-Za-z+/=_.~-]*\d)[A-Za-z0-9+/=_.~-]{16,}|PRIVATE KEY/;

/** The same repository, whose every answer is free of secrets; line numbers stay. */
export function cleanRepository(repository: Repository, redactor: Redactor): Repository {
  return {
    defaultBranch: repository.defaultBranch,
    shallow: repository.shallow,
    resolve: (revision, signal) => repository.resolve(revision, signal),
    tree: (sha) => cleanTree(repository.tree(sha), redactor),
  };
}

function cleanTree(tree: SourceTree, redactor: Redactor): SourceTree {
  const whole = createWholeReader(tree, redactor);
  return {
    revision: tree.revision,
    files: (signal) => tree.files(signal),
    blame: (path, range, signal) => tree.blame(path, range, signal),
    async read(path, { lines }, signal) {
      const read = await whole(path, signal);
      if (read.kind !== 'text' || lines === undefined) return read;
      return read.cut === '' ? windowOf(read, lines) : await cleanRead(tree, { path, lines }, { redactor, signal });
    },
    async search(query, signal) {
      const { hits, ...rest } = await tree.search(query, signal);
      const clean: SearchHit[] = [];
      for (const hit of hits) {
        const text = LONG_RUN.test(hit.text) ? await cleanLine(whole, hit, signal) : hit.text;
        // Whoever searches for a part of a secret learns nothing from what is found.
        if (text === hit.text || matches(text, query)) clean.push({ ...hit, text });
      }
      return { ...rest, hits: clean };
    },
    async outline(path, signal) {
      const symbols = await tree.outline(path, signal);
      const read = symbols.some(({ signature }) => LONG_RUN.test(signature)) ? await whole(path, signal) : null;
      if (read?.kind !== 'text') return symbols;
      const lines = read.text.split('\n');
      return symbols.map((symbol) => ({
        ...symbol,
        signature: LONG_RUN.test(symbol.signature)
          ? (lines[symbol.line - 1] ?? '').trim().slice(0, symbol.signature.length)
          : symbol.signature,
      }));
    },
    async history(query, signal) {
      const { commits, cut } = await tree.history(query, signal);
      return { commits: await redactor.redactJson(commits), cut };
    },
    async compare(from, options, signal) {
      const comparison = await tree.compare(from, options, signal);
      return { ...comparison, patch: await cleanPatch(comparison.patch, redactor) };
    },
  };
}

type WholeReader = (path: string, signal: AbortSignal) => Promise<FileRead>;

function createWholeReader(tree: SourceTree, redactor: Redactor): WholeReader {
  const kept = new Map<string, Promise<FileRead>>();
  return (path, signal) => {
    const known = kept.get(path);
    if (known !== undefined) return known;
    const reading = cleanRead(tree, { path }, { redactor, signal });
    kept.set(path, reading);
    // Another asker must not get this one's abort.
    reading.catch(() => kept.delete(path));
    const [oldest = ''] = kept.keys();
    if (kept.size > KEPT_FILES) kept.delete(oldest);
    return reading;
  };
}

async function cleanRead(
  tree: SourceTree,
  { path, lines }: { readonly path: string; readonly lines?: LineRange },
  { redactor, signal }: { readonly redactor: Redactor; readonly signal: AbortSignal },
): Promise<FileRead> {
  const read = await tree.read(path, lines === undefined ? {} : { lines }, signal);
  return read.kind === 'text' ? { ...read, text: await redactor.redactLines(read.text) } : read;
}

function windowOf(read: Extract<FileRead, { kind: 'text' }>, range: LineRange): FileRead {
  const lines = read.text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const from = Math.max(1, Math.trunc(range.from));
  const to = Math.min(lines.length, Math.trunc(range.to));
  const chosen = lines.slice(from - 1, Math.max(from - 1, to));
  const ending = chosen.length > 0 && (to < lines.length || read.text.endsWith('\n')) ? '\n' : '';
  return {
    ...read,
    text: `${chosen.join('\n')}${ending}`,
    firstLine: from,
    cut: from > read.totalLines ? `The file has ${read.totalLines} lines; there is no line ${from}.` : '',
  };
}

async function cleanLine(whole: WholeReader, hit: SearchHit, signal: AbortSignal): Promise<string> {
  const read = await whole(hit.path, signal);
  const line = read.kind === 'text' ? read.text.split('\n')[hit.line - 1] : undefined;
  return (line ?? hit.text).slice(0, hit.text.length);
}

/** Whether what is left of the line would have been found. An expression that cannot be tried here has found the secret for all we know. */
function matches(
  text: string,
  { pattern, regex, ignoreCase }: { pattern: string; regex: boolean; ignoreCase: boolean },
) {
  if (!regex) return ignoreCase ? text.toLowerCase().includes(pattern.toLowerCase()) : text.includes(pattern);
  return false;
}

/** Added and removed lines of a key bear a sign, which hides it: they are cleaned without it too. */
async function cleanPatch(patch: string, redactor: Redactor): Promise<string> {
  const signs = patch.replace(/^([ +-]?).*$/gm, '$1').split('\n');
  const bare = await redactor.redactLines(patch.replace(/^[ +-]/gm, ''));
  const joined = bare
    .split('\n')
    .map((line, at) => `${signs[at] ?? ''}${line}`)
    .join('\n');
  return redactor.redactLines(joined);
}
