// Secrets made at test time, from parts, so that the repository holds none; and the disguises in which they turn up.

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `length` characters that look random, the same in every run; any six hold a digit, an upper and a lower letter. */
export function noise(length: number, seed: number, alphabet = ALNUM): string {
  let state = seed * 2_654_435_761 + 12_345;
  let out = '';
  while (out.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const forced = ['K', 'q', '7'][out.length % 6];
    out += alphabet === ALNUM && forced ? forced : alphabet[state % alphabet.length];
  }
  return out;
}

export interface Planted {
  readonly kind: string;
  readonly before: string;
  readonly secret: string;
  readonly after: string;
}

function planted(kind: string, before: string, secret: string, after = ''): Planted {
  return { kind, before, secret, after };
}

function pem(label: string, lines: number): string {
  const body = Array.from({ length: lines }, (_, i) => noise(64, i + 40));
  return [`-----BEGIN ${label}-----`, ...body, `${noise(30, 77)}==`, `-----END ${label}-----`].join('\n');
}

const jwt = [`eyJ${noise(33, 20)}`, `eyJ${noise(60, 21)}`, noise(43, 22)].join('.');

/** Every kind that must be found, each in its usual place. */
export const PLANTED: readonly Planted[] = [
  planted('GitHub classic', 'token ', ['gh', 'p_', noise(36, 1)].join(''), ' used'),
  planted('GitHub OAuth', 'using ', ['gh', 'o_', noise(36, 2)].join('')),
  planted('GitHub server', 'using ', ['gh', 's_', noise(36, 3)].join('')),
  planted('GitHub user', '"', ['gh', 'u_', noise(36, 4)].join(''), '"'),
  planted('GitHub refresh', '(', ['gh', 'r_', noise(76, 5)].join(''), ')'),
  planted('GitHub fine-grained', 'x=', ['github', '_pat_', noise(22, 6), '_', noise(59, 7)].join('')),
  planted('our token', 'curl with ', ['cw', 'y_', noise(36, 8)].join('')),
  planted('webhook secret', 'signed by ', ['wh', 'sec_', noise(32, 9)].join(''), ' at noon'),
  planted('npm', '//registry/:x ', ['np', 'm_', noise(36, 10)].join('')),
  planted('PyPI', 'upload ', ['py', 'pi-AgEIcHlwaS5vcmc', noise(80, 11)].join('')),
  planted('GitLab', 'clone ', ['gl', 'pat-', noise(20, 12)].join('')),
  planted('Slack bot', 'slack ', ['xo', 'xb-', noise(12, 13, '0123456789'), '-', noise(24, 14)].join('')),
  planted('Stripe', 'charge ', ['sk', '_live_', noise(24, 15)].join('')),
  planted('Google API', '?k=', ['AI', 'za', noise(35, 16)].join('')),
  planted('SendGrid', 'mail ', ['S', 'G.', noise(22, 17), '.', noise(43, 18)].join('')),
  planted('Vault', 'VAULT ', ['hv', 's.', noise(24, 201)].join('')),
  planted('Doppler', 'doppler ', ['dp', '.pt.', noise(43, 202)].join('')),
  planted('Notion', 'notion ', ['nt', 'n_', noise(46, 203)].join('')),
  planted('Square', 'pay ', ['sq', '0atp-', noise(22, 204)].join('')),
  planted(
    'Discord',
    'post to https://',
    ['disc', 'ord.com/api/webhooks/', noise(18, 205, '123456789'), '/', noise(68, 206)].join(''),
  ),
  planted('Mailgun', 'mail ', ['ke', 'y-', noise(32, 207, '0123456789abcdef')].join('')),
  planted('Twilio', 'call ', ['S', 'K', noise(32, 208, '0123456789abcdef')].join('')),
  planted('Telegram', 'bot ', [noise(9, 209, '123456789'), ':A', 'A', noise(33, 210)].join('')),
  planted('AWS key id', 'id ', ['AK', 'IA', noise(16, 19, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')].join('')),
  planted('AWS secret', 'aws_secret_access_key = ', noise(40, 23), '\nregion = eu-west-1'),
  planted('JWT', 'session ', jwt, ' expired'),
  planted('OpenAI', 'key ', ['s', 'k-proj-', noise(74, 24), 'T3BlbkFJ', noise(74, 25)].join('')),
  planted('OpenAI-like', 'key ', ['s', 'k-', noise(48, 26)].join(''), ', denied'),
  planted('Anthropic', 'key ', ['s', 'k-ant-api03-', noise(93, 27), 'AA'].join('')),
  planted('Bearer header', '> Authorization: Bearer ', noise(40, 28), '\n> Accept: */*'),
  planted(
    'Basic header',
    'authorization: Basic ',
    Buffer.from(`deploy:${noise(20, 29)}`)
      .toString('base64')
      .replace(/=+$/, ''),
  ),
  planted('token header', "-H 'Authorization: token ", noise(40, 30, '0123456789abcdef'), "' https://example.test/"),
  planted('cookie', 'Cookie: theme=dark; sid=', noise(32, 31), '; lang=en'),
  planted('set-cookie', 'set-cookie: __Host-session=', noise(32, 32), '; Path=/; HttpOnly; SameSite=Lax'),
  planted('URL', 'cloning https://ci:', noise(24, 33), '@git.example.test/a/b.git'),
  planted('database URL', 'DATABASE_URL=postgres://app:', noise(20, 34), '@db.internal:5432/app'),
  planted('Redis URL', 'redis://:', noise(20, 35), '@cache:6379/0'),
  planted('assignment', 'DB_PASSWORD=', noise(20, 36)),
  planted('quoted', '"client_secret": "', noise(24, 37), '", "grant_type": "x"'),
  planted('YAML', '  api_key: ', noise(24, 38)),
  planted('.netrc', 'machine git.example.test login ci password ', noise(24, 80)),
  planted('query', 'GET /?oauth_token=', noise(24, 81), '&page=2'),
  planted(
    'user name and token in a URL',
    'https://x-access-token:',
    ['gh', 's_', noise(36, 82)].join(''),
    '@git.example.test/a',
  ),
  planted('flag', 'deploy --auth-token ', noise(24, 39), ' --verbose'),
  planted('RSA key', 'key:\n', pem(['RSA', 'PRIVATE', 'KEY'].join(' '), 12), '\ndone'),
  planted('PKCS #8 key', '', pem(['PRIVATE', 'KEY'].join(' '), 3), '\ndone'),
  planted('OpenSSH key', '', pem(['OPENSSH', 'PRIVATE', 'KEY'].join(' '), 6), '\ndone'),
];

export interface Disguise {
  readonly name: string;
  /** What becomes of the secret. */
  readonly secret: (text: string) => string;
  /** What becomes of the text around it. */
  readonly around: (text: string) => string;
}

function same(text: string): string {
  return text;
}

function everywhere(name: string, change: (text: string) => string): Disguise {
  return { name, secret: change, around: change };
}

export const STAMP = '2026-11-20T19:18:43.1234567Z ';

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicodeEscaped(text: string): string {
  return text
    .split('')
    .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** An escape sequence between all characters except next to line breaks. */
function between(separator: string): (text: string) => string {
  return (text) => text.replace(/(?<=[^\n])(?=[^\n])/g, separator);
}

function wrapped(separator: string): (text: string) => string {
  return (text) => {
    if (text.includes('\n')) return text.replaceAll('\n', separator);
    const middle = text.length >> 1;
    return text.slice(0, middle) + separator + text.slice(middle);
  };
}

export const DISGUISES: readonly Disguise[] = [
  everywhere('none', same),
  { name: 'ANSI between all characters', secret: between('\x1b[1;31m'), around: same },
  { name: 'ANSI without ESC', secret: between('[31m'), around: same },
  { name: 'ANSI around', secret: (text) => `${text}`, around: (text) => text && `\x1b[32m${text}\x1b[0m` },
  { name: 'zero-width between all characters', secret: between('\u200b'), around: same },
  everywhere('percent-encoded', (text) => encodeURIComponent(text)),
  everywhere('percent-encoded twice', (text) => encodeURIComponent(encodeURIComponent(text))),
  everywhere('percent-encoded thrice', (text) => encodeURIComponent(encodeURIComponent(encodeURIComponent(text)))),
  everywhere('JSON', json),
  everywhere('JSON twice', (text) => json(json(text))),
  everywhere('JSON thrice', (text) => json(json(json(text)))),
  everywhere('unicode escapes', unicodeEscaped),
  everywhere('unicode escapes in JSON', (text) => json(unicodeEscaped(text))),
  { name: 'two lines', secret: wrapped('\n'), around: same },
  { name: 'two lines, CRLF and indented', secret: wrapped('\r\n    '), around: same },
  { name: 'two stamped lines', secret: wrapped(`\n${STAMP}`), around: same },
  { name: 'two stamped lines in colour', secret: wrapped(`\x1b[0m\n${STAMP}\x1b[36m`), around: same },
  { name: 'two lines in JSON', secret: (text) => json(wrapped('\n')(text)), around: json },
];
