// Walks through an XML document that anyone may have written: elements, attributes and text, each character once.
// Of our own, since no XML library is among our dependencies. A document type is refused, and with it every entity that
// a document could declare; nothing outside of the text is ever read.

/** The first `most` characters of a text. What is not asked for is not decoded: 64 MB of `&lt;` took 9 s and 500 MB of memory. */
export type ReadText = (most: number) => string;

/** Called in document order. */
export interface XmlVisitor {
  /** "" for an attribute that the element does not have. */
  readonly open: (name: string, attribute: (key: string, most: number) => string) => void;
  readonly text: (read: ReadText) => void;
  readonly close: (name: string) => void;
}

/** The text is no XML, or more of it than is read. */
export class XmlFault extends Error {}

const DEEPEST = 100;
const MOST_ATTRIBUTES = 100;
const NAME = /[^\s=/>"'<]{1,200}/y;
const SPACE = /\s*/y;

/** Throws XmlFault; what was visited until then counts for nothing. */
export function walkXml(text: string, visitor: XmlVisitor): void {
  const parents: string[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let roots = 0;
  while (at < text.length) {
    const start = skipUnread(text, at);
    if (start > at) {
      at = start;
      continue;
    }
    if (parents.length === 0 && isOpening(text, at)) roots += 1;
    if (roots > 1) throw new XmlFault('a second root element');
    at = readNext(text, at, parents, visitor);
  }
  if (parents.length > 0 || roots === 0) throw new XmlFault('the document ends too early');
}

function isOpening(text: string, at: number): boolean {
  return text[at] === '<' && text[at + 1] !== '/' && text[at + 1] !== '!';
}

function readNext(text: string, at: number, parents: string[], visitor: XmlVisitor): number {
  if (text.startsWith('</', at)) return readClosing(text, at, parents, visitor);
  if (isOpening(text, at)) return readOpening(text, at, parents, visitor);
  return readText(text, at, parents.length > 0, visitor);
}

const CDATA = '<![CDATA[';

/** Behind a comment or an instruction; the same place where there is none. */
function skipUnread(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return findEnd(text, '-->', at + 4);
  if (text.startsWith('<?', at)) return findEnd(text, '?>', at + 2);
  if (text.startsWith('<!', at) && !text.startsWith(CDATA, at)) throw new XmlFault('a document type');
  return at;
}

function readClosing(text: string, at: number, parents: string[], visitor: XmlVisitor): number {
  const end = findEnd(text, '>', at + 2);
  const name = text.slice(at + 2, end - 1).trimEnd();
  if (parents.pop() !== name) throw new XmlFault('an element that was not open is closed');
  visitor.close(name);
  return end;
}

function readOpening(text: string, at: number, parents: string[], visitor: XmlVisitor): number {
  if (parents.length >= DEEPEST) throw new XmlFault('elements too deep in one another');
  const tag = readTag(text, at + 1);
  visitor.open(tag.name, (key, most) => decodeEntities(tag.attributes.get(key) ?? '', most));
  if (tag.isClosed) visitor.close(tag.name);
  else parents.push(tag.name);
  return tag.end;
}

function readText(text: string, at: number, isInside: boolean, visitor: XmlVisitor): number {
  if (text.startsWith(CDATA, at)) {
    const end = findEnd(text, ']]>', at + CDATA.length);
    if (isInside) visitor.text((most) => text.slice(at + CDATA.length, Math.min(end - 3, at + CDATA.length + most)));
    return end;
  }
  const next = text.indexOf('<', at);
  const end = next < 0 ? text.length : next;
  if (isInside) visitor.text((most) => decodeEntities(text.slice(at, end), most));
  else if (text.slice(at, end).trim() !== '') throw new XmlFault('text outside of the root element');
  return end;
}

interface Tag {
  readonly name: string;
  /** With their values as they are written. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly isClosed: boolean;
  /** Behind it. */
  readonly end: number;
}

function readTag(text: string, from: number): Tag {
  const name = match(NAME, text, from);
  if (name === '') throw new XmlFault('a tag without a name');
  const attributes = new Map<string, string>();
  let at = skipSpace(text, from + name.length);
  while (text[at] !== '>' && text[at] !== '/') {
    const key = match(NAME, text, at);
    const equals = skipSpace(text, at + key.length);
    const open = skipSpace(text, equals + 1);
    const quote = text[open];
    if (key === '' || text[equals] !== '=' || (quote !== '"' && quote !== "'")) throw new XmlFault('a broken tag');
    const end = findEnd(text, quote, open + 1);
    attributes.set(key, text.slice(open + 1, end - 1));
    if (attributes.size > MOST_ATTRIBUTES) throw new XmlFault('a tag with too many attributes');
    at = skipSpace(text, end);
  }
  const isClosed = text[at] === '/';
  const end = isClosed ? at + 2 : at + 1;
  if (text[end - 1] !== '>') throw new XmlFault('a broken tag');
  return { name, attributes, isClosed, end };
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function skipSpace(text: string, at: number): number {
  return at + match(SPACE, text, at).length;
}

/** Behind the next occurrence. */
function findEnd(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  if (at < 0) throw new XmlFault('the document ends too early');
  return at + mark.length;
}

/** A map: a plain object has members such as `constructor`, which any text may name. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
/** Such as `&#1114111;` and `&#x10FFFF;`: none that is known is longer. */
const LONGEST_ENTITY = 10;
const DECIMAL = /^#\d{1,7}$/;
const HEX = /^#x[\da-fA-F]{1,6}$/;

/**
 * The first `most` characters. Decoded are the five entities of XML and numbers; any other could only come from a
 * document type, and stays as it is written.
 */
function decodeEntities(written: string, most: number): string {
  const text = written.slice(0, most * LONGEST_ENTITY);
  let read = '';
  let at = 0;
  for (let mark = text.indexOf('&'); mark >= 0 && read.length < most; mark = text.indexOf('&', at)) {
    const length = text.slice(mark, mark + LONGEST_ENTITY).indexOf(';');
    const decoded = length < 0 ? null : decodeEntity(text.slice(mark + 1, mark + length));
    read += text.slice(at, mark) + (decoded ?? '&');
    at = decoded === null ? mark + 1 : mark + length + 1;
  }
  return (read + text.slice(at)).slice(0, most);
}

/** Null: unknown. `name`: what is between the ampersand and the semicolon. */
function decodeEntity(name: string): string | null {
  if (!name.startsWith('#')) return NAMED.get(name) ?? null;
  const code = DECIMAL.test(name) ? Number(name.slice(1)) : HEX.test(name) ? Number.parseInt(name.slice(2), 16) : null;
  if (code === null) return null;
  return code <= 0x10_ffff ? String.fromCodePoint(code) : '\uFFFD';
}
