// The kinds of fake secret that redaction is measured on: the template of each, and the line in which it usually
// stands.
import { FORMS } from './forms.ts';
import { type Filled, filled, type Random } from './templates.ts';
import type { Placed } from './wrappings.ts';

interface Kind {
  readonly name: string;
  readonly secret: string;
  /** `‹›`: the secret. */
  readonly line: string;
}

/** The lines for tokens that are known by their form. */
const LINES = [
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

/** One of its kind, in its line; `turn` says which line where it can stand in several. */
export function sample(kind: Kind, turn: number, random: Random): { readonly secret: Filled; readonly placed: Placed } {
  const secret = filled(kind.secret, random);
  const line = kind.line === '' ? (LINES[turn % LINES.length] ?? '‹›') : kind.line;
  const [before = '', after = ''] = line.split('‹›');
  return { secret, placed: { before, secret: secret.text, after } };
}
