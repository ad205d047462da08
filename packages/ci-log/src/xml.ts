// Walks through an XML document that anyone may have written: elements, attributes and text. `saxes` reads it; here are the
// limits around it. A document type is refused, and with it every entity that a document could declare.
import { SaxesParser } from 'saxes';

/** Called in document order. */
export interface XmlVisitor {
  readonly open: (name: string, attributes: Readonly<Record<string, string | undefined>>) => void;
  /** Of an element or of a section in it. */
  readonly text: (text: string) => void;
  readonly close: (name: string) => void;
}

/** The text is no XML, or more of it than is read. */
export class XmlFault extends Error {}

const DEEPEST = 100;
const MOST_ATTRIBUTES = 100;

/** Throws XmlFault; what was visited until then counts for nothing. */
export function walkXml(text: string, visitor: XmlVisitor): void {
  // In XML 1.1 the colours that tools leave in their messages, `&#27;[31m`, are characters.
  const parser = new LenientParser({ position: false, defaultXMLVersion: '1.1', forceXMLVersion: true });
  let depth = 0;
  let attributes = 0;
  parser.on('doctype', () => parser.fail('a document type'));
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > MOST_ATTRIBUTES) parser.fail('a tag with too many attributes');
  });
  parser.on('opentag', (tag) => {
    attributes = 0;
    depth += 1;
    if (depth > DEEPEST) parser.fail('elements too deep in one another');
    visitor.open(tag.name, tag.attributes);
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    visitor.close(name);
  });
  parser.on('text', visitor.text);
  parser.on('cdata', visitor.text);
  parser.write(text.trimStart()).close();
}

/** What test runners write though it is no XML: the parser goes on with it as it is written. */
const KEPT = new Set([
  'disallowed character.',
  'undefined entity.',
  'empty entity name.',
  'disallowed character in entity name.',
  'malformed character entity.',
  'malformed comment.',
  'the string "]]>" is disallowed in char data.',
]);

/** Overridden rather than listened to: an error with its stack for each of 8 million characters takes minutes. */
class LenientParser extends SaxesParser {
  override fail(message: string): this {
    if (!KEPT.has(message)) throw new XmlFault(message);
    return this;
  }
}
