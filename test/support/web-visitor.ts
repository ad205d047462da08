// A browser without a window and without scripts: cookies of its own, forms filled in as a page has them, redirects followed when told to.

export interface WebVisitor {
  /** Without following a redirect. Absolute addresses lead elsewhere, such as to GitHub. */
  get(address: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Follows redirects from page to page and gives the last one. */
  open(address: string): Promise<{ readonly status: number; readonly url: string; readonly text: string }>;
  /** Sends a form from the page at `from`, with that page's anti-forgery value. */
  send(from: string, action: string, fields?: Readonly<Record<string, string>>): Promise<Response>;
  cookie(): string;
}

export function webVisitor(base: string): WebVisitor {
  const jar = new Map<string, string>();
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (address: string, init: RequestInit): Promise<Response> => {
    const url = new URL(address, base);
    const isOwn = url.origin === base;
    const headers = { ...(isOwn ? { cookie: cookie() } : {}), ...(init.headers as Record<string, string>) };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    if (isOwn) for (const line of answer.headers.getSetCookie()) keep(jar, line);
    return answer;
  };
  const get = (address: string, headers = {}) => ask(address, { headers });
  const open = async (address: string) => {
    let url = new URL(address, base);
    let answer = await get(url.href);
    for (let hops = 0; hops < 10 && answer.headers.has('location'); hops++) {
      url = new URL(answer.headers.get('location') ?? '', url);
      answer = await get(url.href);
    }
    return { status: answer.status, url: url.href, text: await answer.text() };
  };
  return {
    get,
    open,
    cookie,
    send: async (from, action, fields = {}) => {
      const token = /name="csrf_token" value="([^"]+)"/.exec((await open(from)).text)?.[1];
      const body = new URLSearchParams({ ...(token === undefined ? {} : { csrf_token: token }), ...fields });
      const headers = { origin: base, 'sec-fetch-site': 'same-origin' };
      return ask(action, { method: 'POST', body, headers });
    },
  };
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ');
  const at = pair.indexOf('=');
  if (attributes.some((each) => /^max-age=0$/i.test(each))) jar.delete(pair.slice(0, at));
  else jar.set(pair.slice(0, at), pair.slice(at + 1));
}
