// The fake secrets that redaction is measured on: templates and usual lines, wrappings that hide them, and what of them
// can still be read.
import { COOKIES } from './cookies.ts';
import { FORMS } from './forms.ts';
import { FOREIGN_LINES, FOREIGN_NAMES, FOREIGN_SENTENCES } from './languages.ts';

interface Kind {
  readonly name: string;
  readonly secret: string;
  /** `‹›`: the secret. */
  readonly line: string;
}

/** The lines for tokens that are known by their form. */
const LINES: readonly string[] = [
  'using ‹› to sign in',
  'token ‹›',
  '"‹›"',
  "key: '‹›',",
  'value=‹›',
  'denied (‹›)',
  '[‹›] is not valid',
  '‹›',
];

/** Known only by their context: name, template, line. */
const PLACES: readonly (readonly [string, string, string])[] = [
  ['AWS secret key', '{b40}', 'aws_secret_access_key = ‹›'],
  ['AWS secret beside its id', '{b40}', 'AKIAQ3EGTNE5YQ2XK7PL,‹›'],
  ['AWS session token', '{b300}', 'export AWS_SESSION_TOKEN=‹›'],
  [
    'Azure storage',
    '{b86}==',
    'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=‹›;EndpointSuffix=core.windows.net',
  ],
  ['Azure SAS', '{b43}%3D', 'https://acme.blob.core.windows.net/logs/a.txt?sv=2024-11-04&se=2026-12-01&sr=b&sig=‹›'],
  ['Service Bus', '{b43}=', 'Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=‹›'],
  ['Bearer', '{w40}', '> Authorization: Bearer ‹›'],
  ['Bearer in JSON', '{w40}', '{"headers":{"Authorization":"Bearer ‹›","Accept":"*/*"}}'],
  ['Basic', '{b64 deploy:<a20>}', 'authorization: Basic ‹›'],
  ['API key header', '{h32}', 'X-Api-Key: ‹›'],
  ['cookie', '{w43}', 'Cookie: theme=dark; session_id=‹›; lang=en'],
  ['set-cookie', '{a32}', 'set-cookie: __Host-sid=‹›; Path=/; HttpOnly'],
  ['database URL', '{p20}', 'DATABASE_URL=postgres://app:‹›@db.internal:5432/app'],
  ['weak database URL', 'Sommer{d4}', 'mysql://root:‹›@10.0.0.4/shop'],
  ['Mongo URL', '{a16}', 'mongodb+srv://svc:‹›@cluster0.ab12c.mongodb.net/?retryWrites=true'],
  ['AMQP URL', '{a24}', 'amqps://svc:‹›@rabbit.internal/vhost'],
  ['Sentry DSN secret', '{h32}', 'SENTRY_DSN=https://public:‹›@sentry.internal/4'],
  ['git remote', '{a40}', "fatal: could not read from 'https://oauth2:‹›@git.internal/a/b.git'"],
  ['.env password', '{p18}', 'DB_PASSWORD=‹›'],
  ['.env secret', '{a32}', 'STRIPE_WEBHOOK_SECRET=‹›'],
  ['export', '{a32}', 'export API_TOKEN="‹›"'],
  ['docker -e', '{a24}', 'docker run -e POSTGRES_PASSWORD=‹› -p 5432:5432 postgres'],
  ['JSON secret', '{a24}', '{"client_id":"app","client_secret":"‹›"}'],
  ['YAML key', '{l32}', '  api_key: ‹›'],
  ['Kubernetes secret', '{b64 <a24>}', 'kind: Secret\ndata:\n  password: ‹›'],
  ['TOML', '{a30}', "secret_key = '‹›'"],
  ['Java property', '{a18}', 'spring.datasource.password=‹›'],
  ['XML', '{a18}', '<server><id>nexus</id><password>‹›</password></server>'],
  ['container environment', '{a24}', '{"name":"DB_PASSWORD","value":"‹›"}'],
  ['pod environment', '{a24}', '  - name: API_TOKEN\n    value: ‹›'],
  ['docker login', '{a20}', 'docker login -u ci -p ‹› registry.internal'],
  ['NuGet config', '{a20}', '<add key="ClearTextPassword" value="‹›" />'],
  ['ADO connection string', '{p16}', 'Server=db;Database=shop;User Id=sa;Password=‹›;Encrypt=true'],
  ['libpq', '{a16}', 'host=db user=app password=‹› dbname=shop'],
  ['JDBC', '{a16}', 'jdbc:postgresql://db:5432/shop?user=app&password=‹›'],
  ['.netrc', '{a24}', 'machine git.internal login ci password ‹›'],
  ['.npmrc auth', '{b64 ci:<a20>}', '//registry.internal/:_auth=‹›'],
  ['.npmrc token', '{uuid}', '//registry.internal/:_authToken=‹›'],
  ['.pgpass', '{a20}', 'db.internal:5432:shop:app:‹›'],
  ['Docker config', '{b64 ci:<a24>}', '{"auths":{"registry.internal":{"auth":"‹›"}}}'],
  ['flag', '{a24}', 'deploy --auth-token ‹› --verbose'],
  ['password flag', '{p16}', 'mysqldump --user=root --password=‹› shop'],
  ['mysql -p', '{a16}', 'mysql -h db -u root -p‹› shop'],
  ['curl -u', '{a20}', 'curl -fsS -u deploy:‹› https://nexus.internal/'],
  ['sshpass', '{a16}', "sshpass -p '‹›' ssh root@10.0.0.4"],
  ['redis-cli', '{a24}', 'redis-cli -h cache -a ‹› ping'],
  ['query', '{a32}', 'GET /v1/items?access_token=‹›&page=2'],
  ['code query', '{a40}', 'GET /login/callback?code=‹›&state=1'],
  ['Python', '{a32}', "    api_key='‹›',"],
  ['Go', '{a32}', 'apiKey := "‹›"'],
  ['Ruby hash', '{a32}', ':secret_access_key => "‹›"'],
  ['PHP', '{a16}', "define('DB_PASSWORD', '‹›');"],
  ['C#', '{a24}', 'var clientSecret = "‹›";'],
  ['sentence', '{p14}', 'The password is ‹›'],
  ['Rails master key', '{h32}', 'RAILS_MASTER_KEY=‹›'],
  ['Django', '{p50}', 'SECRET_KEY = "django-insecure-‹›"'],
  ['Laravel', 'base64:{b43}=', 'APP_KEY=‹›'],
  // `$` is a place of its own, or the linter takes the template for one of the language.
  ['htpasswd', '{s}apr1{s}{a8}{s}{b22}', 'admin:‹›'],
  ['shadow', '{s}6{s}{a16}{s}{b86}', 'root:‹›:19000:0:99999:7:::'],
  ['WireGuard', '{b43}=', 'PrivateKey = ‹›'],
  ['TOTP', '{v32}', 'otpauth://totp/Acme:mara?secret=‹›&issuer=Acme'],
  ['Heroku API key', '{uuid}', 'HEROKU_API_KEY=‹›'],
  ['Datadog', '{h32}', 'DD_API_KEY: ‹›'],
  ['Algolia', '{h32}', 'ALGOLIA_ADMIN_KEY=‹›'],
  ['Cloudflare', '{h37}', 'CF_API_KEY=‹›'],
  ['Codecov', '{uuid}', 'CODECOV_TOKEN=‹›'],
  ['Okta', '00{w40}', 'Authorization: SSWS ‹›'],
  ['short .env password', '{p18}', 'DB_PASS=‹›'],
  ['short .env weak password', 'sommer{d4}', 'SMTP_PASS=‹›'],
  ['short password in JSON', '{p18}', '{"user":"ci","pass":"‹›"}'],
  ['short password in YAML', '{a16}', 'smtp:\n  user: ci\n  pass: ‹›'],
  ['short password in camel case', '{a16}', "const options = { dbPass: '‹›' };"],
  ['GitHub PAT by name', '{h40}', 'GH_PAT=‹›'],
  ['Azure DevOps PAT by name', '{l52}', 'AZURE_DEVOPS_EXT_PAT=‹›'],
  ['pod environment, short name', '{a24}', '  - name: DB_PASS\n    value: ‹›'],
  ['short flag', '{a16}', 'deploy --db-pass ‹› --verbose'],
  ['AWS SecretString', '{a24}', '{"Name":"app/db","SecretString":"‹›","VersionStages":["AWSCURRENT"]}'],
  ['SecretString in YAML', '{a24}', '  SecretString: ‹›'],
  ['SQL password', '{a16}', "ALTER ROLE app WITH LOGIN PASSWORD '‹›';"],
  ['SQL identified by', '{a16}', "CREATE USER 'app'@'%' IDENTIFIED BY '‹›';"],
  ['SQL identified with', '{a16}', "CREATE USER app IDENTIFIED WITH mysql_native_password BY '‹›';"],
  ['Okta header', '00{w40}', 'Authorization: SSWS ‹›'],
  ['Okta token', '00{w40}', 'sent SSWS ‹› to the API'],
  ['token as user', '{a24}', "fatal: unable to access 'https://‹›@git.internal/a/b.git/'"],
  ['token with dots as user', '{a12}.{a16}', 'https://‹›@pypi.internal/simple'],
  ['Telegram in its address', '{d10}:AA{w33}', 'POST https://api.telegram.org/bot‹›/sendMessage'],
  ['Telegram, a file', '{d9}:AA{w33}', 'https://api.telegram.org/file/bot‹›/photos/1.jpg'],
  ['JWT behind an underscore', 'eyJ{a33}.eyJ{a80}.{w43}', 'session_‹›'],
  ['JWT behind a hyphen', 'eyJ{a33}.eyJ{a80}.{w43}', 'cache-‹›'],
  ['JWT behind a letter', 'eyJhbGciOiJI{a24}.eyJ{a80}.{w43}', 'tok‹›'],
  ['JWE behind an underscore', 'eyJ{a33}..{w16}.{w80}.{w22}', 'enc_‹›'],
  ['Digest', '{h32}', 'Authorization: Digest username="mara", realm="a", nonce="b", uri="/", response="‹›"'],
  [
    'Digest, more behind',
    '{h32}',
    '> Authorization: Digest username="m",nonce="b",qop=auth,response="‹›",algorithm=MD5',
  ],
  ['Digest in JSON', '{h64}', JSON.stringify({ authorization: 'Digest username="m", nonce="b", response="‹›"' })],
  ['Digest without quotes', '{h32}', 'Proxy-Authorization: Digest username=m, nonce=b, response=‹›, nc=00000001'],
  ['Honeycomb header', '{a22}', 'x-honeycomb-team: ‹›'],
  ['Honeycomb header in code', '{h32}', "headers: { 'X-Honeycomb-Team': '‹›' }"],
  ['Honeycomb in OTLP', '{a22}', 'OTEL_EXPORTER_OTLP_HEADERS="x-honeycomb-team=‹›"'],
  ['Go MySQL', '{p16}', 'app:‹›@tcp(db:3306)/shop?parseTime=true'],
  ['Go MySQL, IPv6', '{a24}', 'open "root:‹›@tcp([::1]:3306)/shop"'],
  ['Go MySQL, socket', '{a24}', 'dsn := "app:‹›@unix(/run/mysqld/mysqld.sock)/shop"'],
  ['Oracle', '{a16}', 'sqlplus app/‹›@//db:1521/ORCL'],
  ['Oracle, a name', '{a16}', 'sqlplus -s app/‹›@SHOP @run.sql'],
  ['Oracle, quoted', '{a16}', 'sqlplus app/"‹›"@SHOP'],
  ['Oracle in Java', '{a16}', 'jdbc:oracle:thin:app/‹›@//db.internal:1521/shop'],
  ['Oracle in Python', '{a24}', 'oracledb.connect("app/‹›@db:1521/shop")'],
  ['Oracle export', '{a16}', 'expdp system/‹›@orcl full=y'],
  ['keytool', '{a24}', 'keytool -list -keystore a.jks -storepass ‹›'],
  ['keytool, a key', '{a24}', 'keytool -genkey -keypass ‹› -alias a'],
  ['keytool, a copy', '{a16}', "keytool -importkeystore -srcstorepass '‹›' -noprompt"],
  ['jarsigner', '{a16}', 'jarsigner -storepass "‹›" app.jar a'],
  ['openssl -passin', '{a16}', 'openssl rsa -in k.pem -passin pass:‹›'],
  ['openssl -passout', '{a16}', 'openssl genrsa -aes256 -passout pass:‹› 4096'],
  ['openssl -k', '{a16}', 'openssl enc -d -aes-256-cbc -pass pass:‹› -in a'],
  ['WPA', '{a20}', 'network={\n  ssid="a"\n  psk="‹›"\n}'],
  ['PSK', '{a20}', 'PSK=‹›'],
  ['PSK by name', '{p18}', 'WIFI_PSK=‹›'],
  ['IPsec', '{a20}', '%any : PSK "‹›"'],
  ['WireGuard, shared', '{b43}=', 'PresharedKey = ‹›'],
  ['shared key', '{a24}', 'pre_shared_key: ‹›'],
  ['Fernet', '{b43}=', 'FERNET_KEY=‹›'],
  ['Airflow', '{b43}=', 'AIRFLOW__CORE__FERNET_KEY: ‹›'],
  ['Go MySQL, no database', '{a24}', 'app:‹›@tcp(db:3306)'],
  ['Oracle, connect', '{a20}', 'SQL> connect app/‹›@shop'],
  ['Oracle, whole in quotes', '{a20}', "sqlplus 'app/‹›'@shop"],
  ['Oracle, SID', '{a20}', 'jdbc:oracle:thin:app/‹›@db:1521:ORCL'],
  ['Oracle, description', '{a20}', 'app/‹›@(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=db)))'],
  ['keytool, a property', '{a20}', 'mvn verify -Dkeystore=a.jks -Dstorepass=‹›'],
  ['plink', '{a20}', 'plink -ssh -pw ‹› ci@10.0.0.4'],
  ['PowerShell', '{p20}', 'Connect-Host -User ci -Password ‹› -Force'],
  ['two letters', '{p20}', 'user=ci;pw=‹›;'],
  ['row of a table', '{a20}', '| Password | ‹› |'],
  ['Markdown', '{p24}', '**Password:** ‹›'],
];

const LABELS = [
  'RSA PRIVATE KEY',
  'PRIVATE KEY',
  'EC PRIVATE KEY',
  'OPENSSH PRIVATE KEY',
  'ENCRYPTED PRIVATE KEY',
  'PGP PRIVATE KEY BLOCK',
];

export const KINDS: readonly Kind[] = [
  ...FORMS.map(([name, secret]) => ({ name, secret, line: '' })),
  ...PLACES.map(([name, secret, line]) => ({ name, secret, line })),
  ...COOKIES.map(([name, secret, line]) => ({ name: `cookie: ${name}`, secret, line })),
  ...FOREIGN_NAMES.map(([language, word], turn) => ({
    name: `in ${language}`,
    secret: '{a24}',
    line: (FOREIGN_LINES[turn % FOREIGN_LINES.length] ?? '').replace('{}', word),
  })),
  ...FOREIGN_SENTENCES.map(([language, line]) => ({ name: `a sentence in ${language}`, secret: '{a24}', line })),
  ...LABELS.map((label) => ({
    name: `PEM: ${label}`,
    secret: [
      `-----BEGIN ${label}-----`,
      ...Array.from({ length: 12 }, () => '{b64}'),
      '{b30}==',
      `-----END ${label}-----`,
    ].join('\n'),
    line: 'key:\n‹›\ndone',
  })),
];

/** The same kind once for each line in which it can be. */
export function everyLine(kind: Kind): readonly Kind[] {
  const foreign = FOREIGN_NAMES.find(([language]) => kind.name === `in ${language}`);
  const lines = foreign ? FOREIGN_LINES.map((line) => line.replace('{}', foreign[1])) : kind.line === '' ? LINES : [];
  return lines.length === 0 ? [kind] : lines.map((line) => ({ ...kind, line }));
}

/** One of its kind, in its line; `turn` says which line where it can stand in several. */
export function sample(kind: Kind, turn: number, random: Random): { readonly secret: Filled; readonly placed: Placed } {
  const secret = filled(kind.secret, random);
  const line = kind.line === '' ? (LINES[turn % LINES.length] ?? '‹›') : kind.line;
  const [before = '', after = ''] = line.split('‹›');
  return { secret, placed: { before, secret: secret.text, after } };
}

/** Random numbers in [0, 1) that are the same in every run with the same seed. */
type Random = () => number;

/**
 * A text from a template, with the stretches that were drawn: these, not the fixed prefix, are what must not be seen.
 */
interface Filled {
  readonly text: string;
  readonly drawn: readonly string[];
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const LOWER = UPPER.toLowerCase();

const DIGITS = '0123456789';

/** What a letter in `{a40}` draws from. */
const ALPHABETS: Readonly<Record<string, string>> = {
  a: UPPER + LOWER + DIGITS,
  w: `${UPPER}${LOWER}${DIGITS}_-`,
  b: `${UPPER}${LOWER}${DIGITS}+/`,
  l: LOWER + DIGITS,
  c: UPPER + LOWER,
  u: UPPER + DIGITS,
  v: `${UPPER}234567`,
  h: `${DIGITS}abcdef`,
  // Base58, without what looks alike.
  z: (UPPER + LOWER + DIGITS).replace(/[0OIl]/g, ''),
  d: DIGITS,
  // What people's password managers make.
  p: `${UPPER}${LOWER}${DIGITS}!%*-_.~^`,
};

/** mulberry32: one multiplication a step is random enough for tokens that open nothing. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `{a40}` is 40 letters and digits, `{uuid}` a UUID, `{b64 …}` the base64 of the template inside, without padding. */
function filled(template: string, random: Random): Filled {
  const drawn: string[] = [];
  const draw = (alphabet: string, length: number): string => {
    let out = '';
    while (out.length < length) out += alphabet.charAt(Math.floor(random() * alphabet.length));
    return out;
  };
  const text = template
    .replaceAll('{s}', '$')
    .replace(/\{(?:b64 ([^}]*)|(uuid)|([a-z])(\d+))\}/g, (_, plain, uuid, alphabet, length) => {
      const part =
        plain !== undefined
          ? base64(filled(plain.replaceAll('<', '{').replaceAll('>', '}'), random).text)
          : uuid
            ? [8, 4, 4, 4, 12].map((count) => draw(ALPHABETS['h'] ?? '', count)).join('-')
            : draw(ALPHABETS[alphabet] ?? '', Number(length));
      drawn.push(part);
      return part;
    });
  return { text, drawn };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '');
}

/** So many characters in a row are a leak; of a shorter secret all of them. */
const WINDOW = 8;

/** Whether a reader of `shown` can still read a part of what was drawn for the secret. */
export function leaks(shown: string, secret: Filled): boolean {
  const readings = readingsOf(shown);
  return secret.drawn.some((drawn) => windows(drawn).some((part) => readings.some((text) => text.includes(part))));
}

function windows(drawn: string): string[] {
  const parts = drawn.split(/\s+/).filter((line) => line.length >= 4);
  return parts.flatMap((part) => {
    const size = Math.min(WINDOW, part.length);
    return Array.from({ length: part.length - size + 1 }, (_, at) => part.slice(at, at + size));
  });
}

function readingsOf(shown: string): string[] {
  const clean = shown.replace(/\x1b\[[\d;]*m/g, '').replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '');
  const decoded = clean.replace(/(?:%[0-9A-F]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
  const unescaped = clean
    .replaceAll('\\\\', '\\')
    .replaceAll('\\\\', '\\')
    .replace(/\\+n/g, '\n')
    .replaceAll('\\"', '"');
  const contents = [...clean.matchAll(/[A-Za-z0-9+/]{12,}/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((shift) => Buffer.from(run.slice(shift), 'base64').toString('latin1')),
  );
  return [clean, clean.replace(/\s*\n\s*/g, ''), decoded, unescaped, ...contents];
}

/** A line with a secret somewhere in it; both may be of several lines. */
interface Placed {
  readonly before: string;
  readonly secret: string;
  readonly after: string;
}

interface Wrapping {
  readonly name: string;
  readonly wrap: (placed: Placed, random: Random) => string;
}

const AROUND = [
  '> npm run deploy',
  'Uploading 12 files (1.4 MB)',
  'error: request failed with status 401',
  'at run (a.js:3:9)',
];

export const WRAPPINGS: readonly Wrapping[] = [
  { name: 'plain', wrap: (placed) => inLog(whole(placed)) },
  { name: 'ANSI between all characters', wrap: (placed) => inLog(coloured(whole(placed))) },
  { name: 'stamped lines', wrap: (placed) => stamped(inLog(whole(placed))) },
  { name: 'percent', wrap: (placed) => inLog(`GET /collect?line=${encodeURIComponent(whole(placed))}&n=1`) },
  {
    name: 'JSON twice',
    wrap: (placed) => inLog(`{"payload":${JSON.stringify(JSON.stringify({ line: whole(placed) }))}}`),
  },
  { name: 'base64', wrap: (placed) => inLog(`data: ${Buffer.from(whole(placed)).toString('base64')} end`) },
  { name: 'split over two stamped lines', wrap: (placed, random) => stamped(inLog(split(placed, random))) },
];

function whole({ before, secret, after }: Placed): string {
  return before + secret + after;
}

function inLog(text: string): string {
  return [...AROUND.slice(0, 2), text, ...AROUND.slice(2)].join('\n');
}

function coloured(text: string): string {
  return text.replace(/(?<=[^\n])(?=[^\n])/g, '\x1b[1;31m');
}

function stamped(text: string): string {
  return text
    .split('\n')
    .map((line, i) => `2026-11-20T19:18:4${i % 10}.123456${i % 10}Z ${line}`)
    .join('\n');
}

/** Broken somewhere between its first and its third quarter. */
function split({ before, secret, after }: Placed, random: Random): string {
  const at = Math.floor(secret.length * (0.25 + random() / 2));
  return `${before}${secret.slice(0, at)}\n${secret.slice(at)}${after}`;
}
