// What a person finds on a page: its words, its links, its tables and its forms, read out of the markup.

/** The words of what is marked up, without what nobody sees. */
export function wordsOf(markup: string): string {
  return plain(
    markup.replace(/<head>.*?<\/head>|<script.*?<\/script>/gs, '').replace(/<\/(?:td|th|p|li|dt|dd|h\d)>/g, ' '),
  );
}

/** Those of the page's content, without the frame around it. */
export function contentOf(page: string): string {
  return wordsOf(mainOf(page));
}

/** The markup of the content. */
export function mainOf(page: string): string {
  return /<main.*<\/main>/s.exec(page)?.[0] ?? '';
}

export function linksOf(page: string): readonly { readonly href: string; readonly words: string }[] {
  return [...mainOf(page).matchAll(/<a\b([^>]*)>(.*?)<\/a>/gs)].map(([, tag = '', inner = '']) => ({
    href: attribute(tag, 'href'),
    words: wordsOf(inner),
  }));
}

/** Cells of the body and foot of the table with that caption; none where there is no such table. */
export function rowsOf(page: string, caption: string): readonly (readonly string[])[] {
  const tables = [...mainOf(page).matchAll(/<table.*?<\/table>/gs)].map(([table]) => table);
  const table = tables.find((each) => wordsOf(/<caption.*?<\/caption>/s.exec(each)?.[0] ?? '') === caption) ?? '';
  const rows = [...table.replace(/<thead.*?<\/thead>/s, '').matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row);
  return rows.map((row) => [...row.matchAll(/<t[hd]\b[^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => wordsOf(cell)));
}

export interface SeenForm {
  readonly action: string;
  readonly method: string;
  /** Fields as they stand, so that sending them back sends the form as it is: ticked boxes alone, the chosen option. */
  readonly fields: Readonly<Record<string, string[]>>;
  readonly buttons: readonly string[];
}

export function formsOf(page: string): readonly SeenForm[] {
  return [...mainOf(page).matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, tag = '', inner = '']) => ({
    action: attribute(tag, 'action'),
    method: attribute(tag, 'method'),
    fields: fieldsOf(inner),
    buttons: [...inner.matchAll(/<button\b[^>]*>(.*?)<\/button>/gs)].map(([, words = '']) => wordsOf(words)),
  }));
}

/** The form with that address; fails where there is none. */
export function formTo(page: string, action: string): SeenForm {
  const form = formsOf(page).find((each) => each.action === action);
  if (form === undefined)
    throw new Error(`There is no form to ${action}, but ${formsOf(page).map((each) => each.action)}.`);
  return form;
}

function fieldsOf(inner: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  const add = (name: string, value: string) => {
    fields[name] = [...(fields[name] ?? []), value];
  };
  for (const [, tag = ''] of inner.matchAll(/<input\b([^>]*)>/g)) {
    const isTickable = /type="(?:radio|checkbox)"/.test(tag);
    if (!isTickable || / checked\b/.test(tag)) add(attribute(tag, 'name'), attribute(tag, 'value'));
  }
  for (const [, tag = '', text = ''] of inner.matchAll(/<textarea\b([^>]*)>(.*?)<\/textarea>/gs)) {
    add(attribute(tag, 'name'), decoded(text));
  }
  for (const [, tag = '', options = ''] of inner.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)) {
    const chosen = /<option([^>]*) selected>/.exec(options)?.[1] ?? '';
    add(attribute(tag, 'name'), attribute(chosen, 'value'));
  }
  return fields;
}

function attribute(tag: string, name: string): string {
  return decoded(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

function plain(markup: string): string {
  return decoded(markup.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
