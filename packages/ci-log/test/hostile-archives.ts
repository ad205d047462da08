// Artifacts that somebody made to be costly: each shape in files of the size that is asked for, as many as fit in all together.
import { crc32, deflateRawSync } from 'node:zlib';

export interface HostileArchive {
  readonly name: string;
  readonly kind: 'xml' | 'sarif';
  /** One file of about so many bytes. */
  readonly make: (bytes: number) => string | Buffer;
}

const fill = (part: string, bytes: number) => part.repeat(Math.max(1, Math.floor(bytes / part.length)));

/** Parts with a running number until they have so many bytes. */
function count(bytes: number, make: (at: number) => string): string {
  const parts: string[] = [];
  for (let at = 0, left = bytes; left > 0; at += 1) {
    const part = make(at);
    left -= part.length;
    parts.push(part);
  }
  return parts.join('');
}

const sarif = (results: string) =>
  `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{"id":"r","defaultConfiguration":{"level":"error"}}]}},"results":[${results}]}]}`;
const testOf = (name: string, inner: string) =>
  `<testsuite><testcase name="${name}"><failure>${inner}</failure></testcase></testsuite>`;

export const HOSTILE: readonly HostileArchive[] = [
  { name: 'nested arrays', kind: 'sarif', make: (n) => `{"runs":${'['.repeat(n / 2)}${']'.repeat(n / 2)}}` },
  { name: 'nested objects', kind: 'sarif', make: (n) => `${fill('{"a":', n - n / 6)}1${'}'.repeat(n / 6)}` },
  { name: 'brackets that never close', kind: 'sarif', make: (n) => `{"runs":${fill('[{"a":', n)}` },
  { name: 'empty arrays', kind: 'sarif', make: (n) => `{"runs":[${fill('[],', n)}0]}` },
  { name: 'empty objects', kind: 'sarif', make: (n) => `{"runs":[${fill('{},', n)}0]}` },
  { name: 'distinct keys', kind: 'sarif', make: (n) => `{${count(n, (at) => `"k${at.toString(36)}":1,`)}"z":0}` },
  { name: 'keys that are numbers', kind: 'sarif', make: (n) => `{${count(n, (at) => `"${at * 65_536}":1,`)}"z":0}` },
  { name: 'one key again and again', kind: 'sarif', make: (n) => `{${fill('"runs":[{"results":[{}]}],', n)}"z":0}` },
  { name: 'escapes', kind: 'sarif', make: (n) => sarif(`{"ruleId":"r","message":{"text":"${fill('\\u0000', n)}"}}`) },
  {
    name: 'findings',
    kind: 'sarif',
    make: (n) => sarif(`${count(n, (at) => `{"ruleId":"r","message":{"text":"${at}"}},`)}{}`),
  },
  { name: 'known entities', kind: 'xml', make: (n) => testOf('a', fill('&lt;', n)) },
  { name: 'entities in an attribute', kind: 'xml', make: (n) => testOf(fill('&#65;', n), '') },
  { name: 'unknown entities', kind: 'xml', make: (n) => testOf('a', fill('&constructor;', n)) },
  {
    name: 'a billion laughs',
    kind: 'xml',
    make: (n) =>
      `<!DOCTYPE x [<!ENTITY a "ha">${count(n / 2, (at) => `<!ENTITY e${at} "&a;&a;&a;">`)}]>${testOf('a', fill('&e1;', n / 2))}`,
  },
  { name: 'sections of text', kind: 'xml', make: (n) => testOf('a', fill('<![CDATA[]]>', n)) },
  {
    name: 'attributes',
    kind: 'xml',
    make: (n) => `<testsuite>${fill(`<a ${count(600, (at) => `a${at}="" `)}/>`, n)}</testsuite>`,
  },
  {
    name: 'deep elements',
    kind: 'xml',
    make: (n) => `<testsuite>${fill(`${'<a>'.repeat(98)}${'</a>'.repeat(98)}`, n)}</testsuite>`,
  },
  {
    name: 'failed tests',
    kind: 'xml',
    make: (n) => `<testsuite>${count(n, (at) => `<testcase name="${at}"><failure/></testcase>`)}</testsuite>`,
  },
  { name: 'suites in suites', kind: 'xml', make: (n) => `<a>${fill('<testsuite></testsuite>', n)}</a>` },
  { name: 'line breaks', kind: 'xml', make: (n) => testOf('a', '\n'.repeat(n)) },
  {
    name: 'spaces around a message',
    kind: 'xml',
    make: (n) => `<testsuite><testcase name="a"><failure message="a${' '.repeat(n)}a"/></testcase></testsuite>`,
  },
  {
    name: 'bytes that are no text',
    kind: 'xml',
    make: (n) => Buffer.concat([Buffer.from('<testsuite>'), Buffer.alloc(n, 0xff), Buffer.from('</testsuite>')]),
  },
  { name: 'small files', kind: 'xml', make: () => testOf('a', '') },
];

/** As many files of that shape as a budget of so many bytes holds, in an archive that names what they are. */
export function packHostile({ kind, make }: HostileArchive, fileBytes: number, totalBytes: number): Buffer {
  const file = Buffer.from(make(fileBytes));
  const files = Math.min(20_000, Math.ceil(totalBytes / Math.max(file.length, 1)));
  return zipPacked(
    deflateRawSync(file),
    file,
    Array.from({ length: files }, (_, at) => `${at}.${kind}`),
  );
}

/** An archive that has the same bytes under many names: packed once, so that it is made quickly. */
export function zipPacked(packed: Buffer, raw: Buffer, names: readonly string[]): Buffer {
  const one = { packed, size: raw.length, crc: crc32(raw) };
  return zipEntries(names.map((name) => ({ name, ...one })));
}

/** An archive of texts by their paths. */
export function zipFiles(files: Readonly<Record<string, string>>): Buffer {
  return zipEntries(
    Object.entries(files).map(([name, text]) => {
      const raw = Buffer.from(text);
      return { name, packed: deflateRawSync(raw), size: raw.length, crc: crc32(raw) };
    }),
  );
}

interface ZipEntry {
  readonly name: string;
  readonly packed: Buffer;
  readonly size: number;
  readonly crc: number;
}

function zipEntries(entries: readonly ZipEntry[]): Buffer {
  const head = (signature: number, fields: number) => {
    const bytes = Buffer.alloc(4 + fields);
    bytes.writeUInt32LE(signature);
    return bytes;
  };
  const shared = ({ packed, size, crc }: ZipEntry, name: Buffer) => {
    const bytes = Buffer.alloc(24);
    bytes.writeUInt16LE(0x0800, 0);
    bytes.writeUInt16LE(8, 2);
    bytes.writeUInt16LE(0x0021, 6);
    bytes.writeUInt32LE(crc, 8);
    bytes.writeUInt32LE(packed.length, 12);
    bytes.writeUInt32LE(size, 16);
    bytes.writeUInt16LE(name.length, 20);
    return bytes;
  };
  const parts: Buffer[] = [];
  const listed: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const local = Buffer.concat([head(0x04034b50, 2), shared(entry, name), name, entry.packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    listed.push(head(0x02014b50, 4), shared(entry, name), rest, name);
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(listed);
  const end = head(0x06054b50, 18);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** The archive of one file with its line of the directory so many times, which says that it has `size` bytes. */
export function repeatEntry(archive: Buffer, times: number, size: number): Buffer {
  const from = archive.indexOf('PK\u0001\u0002');
  const to = archive.indexOf('PK\u0005\u0006');
  const entry = Buffer.from(archive.subarray(from, to));
  entry.writeUInt32LE(size, 24);
  const end = Buffer.from(archive.subarray(to));
  end.writeUInt16LE(times, 10);
  return Buffer.concat([archive.subarray(0, from), ...Array<Buffer>(times).fill(entry), end]);
}
