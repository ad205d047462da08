// JSON as models write it: in a fence, with prose around it, with trailing commas or bare line breaks in strings, or as a string of JSON.

export type LenientJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly fault: string };

/** A conclusion is a few kilobytes; this is some fifty pages. */
const MAX_CHARACTERS = 200_000;
const CONTROL: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The value that the text means, or why there is none, in words for the one who wrote it. Form is repaired; content never. */
export function parseLenientJson(text: string): LenientJson {
  if (text.length > MAX_CHARACTERS) {
    const length = text.length.toLocaleString('en');
    return {
      kind: 'fault',
      fault: `The arguments are too long: ${length} characters, at most ${MAX_CHARACTERS.toLocaleString('en')}.`,
    };
  }
  const parsed = parseForms(text.trim());
  // Some endpoints encode the arguments twice.
  if (parsed.kind === 'value' && typeof parsed.value === 'string') return parseForms(parsed.value.trim());
  return parsed;
}

/** As it stands; else its object alone; else that object mended. The fault is the last one's, which is about what was meant. */
function parseForms(text: string): LenientJson {
  const object = objectIn(text);
  let fault = '';
  for (const form of [text, object, mended(object)]) {
    try {
      return { kind: 'value', value: JSON.parse(form) };
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
  }
  return { kind: 'fault', fault: `The arguments are not JSON: ${fault.slice(0, 200)}.` };
}

/** From the first brace to the last: without the fence and the prose around it. */
function objectIn(text: string): string {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  return start === -1 || end < start ? text : text.slice(start, end + 1);
}

/** Without commas before a closing bracket, with control characters in strings escaped. Strings are never changed otherwise. */
function mended(text: string): string {
  // The closing quote is optional: a string that never ends is met once, not from each of its quotes anew.
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"?|,(?=\s*[}\]])/g, (part) =>
    part === ',' ? '' : part.replace(/[\n\r\t]/g, escaped),
  );
}

function escaped(character: string): string {
  return CONTROL[character] ?? character;
}
