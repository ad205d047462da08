// What an endpoint's error says, for people and for recognising it, with the key taken out.

const LONGEST_QUOTE = 300;
/** Endpoints repeat wrong keys in part; so many characters of either end give it away. */
const KEY_END = 8;

/** The text of an error body, whatever its shape; empty for web pages, which say nothing to anybody. */
export function errorText(body: unknown): string {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return text.trimStart().startsWith('<') ? '' : text;
}

/** A quotation for an error message: one line, short, without the key or an end of it. Empty where there is nothing to quote. */
export function quote(text: string, apiKey: string): string {
  const line = withoutKey(text, apiKey)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (line === '') return '';
  return ` It says: "${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line}"`;
}

function withoutKey(text: string, apiKey: string): string {
  if (apiKey.length < KEY_END) return text;
  const clean = text.replaceAll(apiKey, '[key]');
  if (apiKey.length < 2 * KEY_END) return clean;
  const ends = [apiKey.slice(0, KEY_END), apiKey.slice(-KEY_END)];
  return clean.replace(/[^\s"']+/g, (word) => (ends.some((end) => word.includes(end)) ? '[key]' : word));
}
