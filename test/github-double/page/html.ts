// Pages written as templates: whatever is put into one is escaped, unless it is itself such a template.

export class Html {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type Part = Html | string | number | null | false | undefined | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((piece, at) => piece + (at < parts.length ? writePart(parts[at]) : '')).join(''));
}

function writePart(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.source;
  if (Array.isArray(part)) return part.map(writePart).join('');
  return escapeHtml(String(part));
}

export function escapeHtml(content: string): string {
  return content.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
