// A page as a person meets it: its text, links, rows and fields, without the frame around it.

interface Link {
  readonly text: string;
  readonly href: string;
}

/** The part of the page between the frame's header and footer. */
function mainOf(html: string): string {
  const main = /<main [^>]*>([\s\S]*)<\/main>/.exec(html)?.[1];
  if (main === undefined) throw new Error(`There is no main part in: ${html.slice(0, 500)}`);
  return main;
}

/** What is read, in one line. */
export function textOf(html: string): string {
  return plain(mainOf(html));
}

export function headingsOf(html: string): readonly string[] {
  return [...mainOf(html).matchAll(/<h([1-6])[^>]*>([\s\S]*?)<\/h\1>/g)].map(
    ([, level, text = '']) => `${level} ${plain(text)}`,
  );
}

export function linksOf(html: string): readonly Link[] {
  return [...mainOf(html).matchAll(/<a ([^>]*)>([\s\S]*?)<\/a>/g)].map(([, attributes = '', text = '']) => ({
    text: plain(text),
    href: decoded(/href="([^"]*)"/.exec(attributes)?.[1] ?? ''),
  }));
}

/** Where the link with this text leads; undefined: there is none. */
export function linkOf(html: string, text: string): string | undefined {
  return linksOf(html).find((link) => link.text === text)?.href;
}

/** The cells of each row of the tables' bodies. */
export function rowsOf(html: string): readonly (readonly string[])[] {
  const bodies = [...mainOf(html).matchAll(/<tbody>([\s\S]*?)<\/tbody>/g)].map(([, body = '']) => body).join('');
  return [...bodies.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) => plain(cell)),
  );
}

/** Value of an input, or the text of a text area as a browser has it; undefined: there is none of that name. */
export function fieldOf(html: string, name: string): string | undefined {
  const main = mainOf(html);
  const area = new RegExp(`<textarea [^>]*name="${name}"[^>]*>([\\s\\S]*?)</textarea>`).exec(main)?.[1];
  if (area !== undefined) return decoded(area.replace(/^\n/, ''));
  const input = new RegExp(`<input [^>]*name="${name}"[^>]*>`).exec(main)?.[0];
  return input === undefined ? undefined : decoded(/value="([^"]*)"/.exec(input)?.[1] ?? '');
}

/** What stands beside the field as wrong with it; "" for nothing. */
export function faultOf(html: string, name: string): string {
  return plain(new RegExp(`<p class="fault" id="${name}-fault">([\\s\\S]*?)</p>`).exec(html)?.[1] ?? '');
}

function plain(html: string): string {
  return decoded(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .replace(/ ([,.:;])(?=\s|$)/g, '$1')
    .trim();
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
