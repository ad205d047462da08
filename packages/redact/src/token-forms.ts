// Tokens with a known form. Sources: the documentation of their issuers.
import { REDACTED } from './redacted.ts';

/** Prefixes that nothing else has: found even where they touch other text. */
const UNMISTAKABLE = [
  // Our own.
  'cwy_[A-Za-z0-9]{30,64}',
  'whsec_[A-Za-z0-9+/_-]{24,128}={0,2}',
  // Code hosting.
  'gh[pousr]_[A-Za-z0-9]{30,255}',
  'ghs_\\d{1,20}_[\\w-]{10,1000}\\.[\\w-]{10,2000}\\.[\\w-]{10,1000}',
  'github_pat_\\w{50,255}',
  'gl(?:pat|dt|rt|ptt|ft|soat|agent|oas|imt|ffct)-[\\w-]{20,300}(?:\\.[0-9a-z]{2}\\.?[0-9a-z]{7,9})?',
  'glcbt-[A-Za-z0-9]{1,5}_[\\w-]{20,64}',
  'GR1348941[\\w-]{20,40}',
  'AT[AC]TT3[\\w=-]{80,255}',
  'sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}',
  // Packages.
  'npm_[A-Za-z0-9]{36,255}',
  'pypi-Ag[\\w-]{50,255}',
  'rubygems_[a-f0-9]{48}',
  'CLOJARS_[a-z0-9]{60}',
  'dckr_[po]at_[\\w-]{27,40}',
  // Clouds and what runs in them.
  'AIza[\\w-]{35}',
  'ya29\\.[\\w-]{20,255}',
  'GOCSPX-[\\w-]{20,64}',
  'bedrock-api-key-YmVkcm9jay[\\w+/=-]{40,4000}',
  'cf[au]t_[A-Za-z0-9]{40}[a-f0-9]{8}',
  'do[opr]_v1_[a-f0-9]{64}',
  'HRKU-AA[\\w-]{58}',
  'fm[12][ar]?_[A-Za-z0-9+/]{100,2000}={0,2}',
  'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}',
  'sbp_(?:oauth_|v0_)?[a-f0-9]{40}',
  'sb_secret_[\\w-]{22}_[\\w-]{8}',
  'pscale_(?:tkn|oauth|pw)_[\\w=.-]{32,64}',
  'hv[sb]\\.[\\w-]{24,300}',
  'dp\\.(?:pt|st|sa|ct|scim|audit)\\.[\\w.-]{40,60}',
  'ops_eyJ[A-Za-z0-9+/]{100,2000}={0,2}',
  '0\\.[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\\.[A-Za-z0-9]{20,40}:[A-Za-z0-9+/]{22}==',
  'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  'bkua_[a-f0-9]{40}',
  'CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}',
  'tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,32}(?:-[A-Za-z0-9]{20,64})?',
  'sha256~[\\w-]{43}',
  // Words and money.
  'xox[abceoprs]-[A-Za-z0-9-]{10,250}',
  'xoxd-[\\w%+/=-]{40,400}',
  'xapp-\\d-[A-Za-z0-9-]{10,250}',
  'hooks\\.slack\\.com\\/(?:services\\/T\\w{6,40}\\/B\\w{6,40}\\/\\w{16,40}|(?:services|workflows|triggers)\\/[A-Za-z0-9+/]{43,80})',
  'discord(?:app)?\\.com\\/api\\/webhooks\\/\\d{17,20}\\/[\\w-]{60,80}',
  '\\.webhook\\.office\\.com\\/webhookb2\\/[a-f0-9-]{36}@[a-f0-9-]{36}\\/IncomingWebhook\\/[a-f0-9]{32}\\/[a-f0-9-]{36}',
  '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,255}',
  'rzp_(?:live|test)_[A-Za-z0-9]{14,32}',
  'access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}',
  'sq0(?:atp|csp)-[\\w-]{22,43}',
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  'shippo_(?:live|test)_[a-fA-F0-9]{40}',
  'EZ[AT]K[A-Za-z0-9]{54}',
  'SG\\.[\\w-]{16,32}\\.[\\w-]{32,64}',
  'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}',
  // Models.
  'hf_[A-Za-z0-9]{34}',
  'gsk_[A-Za-z0-9]{48,64}',
  'xai-[A-Za-z0-9]{70,100}',
  'pplx-[A-Za-z0-9]{40,64}',
  'tgp_v1_[\\w-]{43}',
  'jina_[A-Za-z0-9]{50,80}',
  'e2b_[a-f0-9]{40}',
  'pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,80}',
  'nvapi-[\\w-]{60,80}',
  'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}',
  // Watching and planning.
  'sntry[su]_[\\w+/=-]{40,600}',
  'NRAK-[A-Z0-9]{27}',
  'glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}',
  'glc_[A-Za-z0-9+/]{32,400}={0,2}',
  'ph[xcs]_[A-Za-z0-9]{40,60}',
  'dt0[a-z]\\d\\d\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}',
  'sq[aup]_[a-f0-9]{40}',
  'snyk_[us]at\\.[a-f0-9]{8}\\.[\\w.-]{40,200}',
  'hc[a-z](?:ik_[a-z0-9]{58}|mk_[a-z0-9]{26}:[A-Za-z0-9]{32})',
  'xa[ap]t-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}',
  'lin_(?:api|oauth)_[A-Za-z0-9]{40,64}',
  'ntn_[A-Za-z0-9]{40,60}',
  'fig[dour]h?_[\\w-]{40,50}',
  'PMAK-[a-f0-9]{24}-[a-f0-9]{34}',
  'A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}',
  'FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?',
  'fio-u-[\\w=-]{64}',
  '[ps]at\\.[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}',
  's-s4t2(?:ud|af)-[a-f0-9]{64}',
  'sm_[aps]at_[A-Za-z0-9]{16}',
  'api_org_[A-Za-z]{34}',
  'pat-(?:na|eu|ap)\\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}',
  'CFPAT-[\\w-]{43}',
  '[st]k\\.eyJ[\\w-]{20,400}\\.[\\w-]{20,40}',
  '[tuvxyz]prv[1-9A-HJ-NP-Za-km-z]{107}',
  'duffel_(?:test|live)_[\\w=-]{43}',
] as const;

/** Short or common beginnings: only as a whole word, and only if the rest looks drawn at random. */
const WHOLE_WORDS = [
  'oy2[a-z0-9]{43}',
  '(?<![+/])ABSK[A-Za-z0-9+/]{109,269}={0,2}',
  '1\\/\\/0[\\w-]{40,200}',
  'nf[pc]_[A-Za-z0-9]{36,40}',
  'vc[pika]_[A-Za-z0-9]{24,64}',
  'napi_[a-z0-9]{64}',
  'dapi[a-f0-9]{32}(?:-\\d)?',
  'pul-[a-f0-9]{40}',
  'pnu_[A-Za-z0-9]{36}',
  're_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}',
  'r8_[A-Za-z0-9]{37}',
  'tvly-(?:(?:dev|prod)-)?[A-Za-z0-9]{32}',
  'rdme_[a-z0-9]{70}',
  '[MNO][TDjz][\\w-]{22,26}\\.[\\w-]{6}\\.[\\w-]{27,40}',
  'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}',
  'ATBB[A-Za-z0-9]{32}',
  '[12]\\/\\d{15,17}:[a-f0-9]{32}',
  '(?<![+/])AKCp[A-Za-z0-9]{65,80}',
  'API-[A-Z0-9]{26}',
  '(?<![+/])EAA[A-Z][A-Za-z0-9]{100,300}',
  'p8e-[A-Za-z0-9]{32}',
  'cmVmd[A-Za-z0-9]{59}',
  '4b1d[A-Za-z0-9]{38}',
  'ico-[A-Za-z0-9]{32}',
  'tk-us-[\\w-]{48}',
  'LTAI[A-Za-z0-9]{16,24}',
  'AQ\\.[\\w-]{40,80}',
  'secret_[A-Za-z0-9]{43}',
  'csk-[a-z0-9]{48}',
  'fw_[A-Za-z0-9]{22,26}',
  'rnd_[A-Za-z0-9]{28,32}',
  'dd[pw]_[A-Za-z0-9]{36,40}',
  '(?<![+/])EAAA[\\w-]{60}',
  '(?:sdk|mob)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}',
  // Mailgun, Twilio.
  'key-[0-9a-f]{32}',
  'SK[0-9a-f]{32}',
  'sk-[\\w-]{20,255}',
] as const;

/** One of the forms, by their first characters: as a plain list the search took twice as long. */
function joinForms(forms: readonly string[]): string {
  const groups = Map.groupBy(forms, (form) => /^[A-Za-z0-9](?![?*+{])/.exec(form)?.[0] ?? '');
  return [...groups]
    .map(([first, ones]) => `${first}(?:${ones.map((form) => form.slice(first.length)).join('|')})`)
    .join('|');
}

export const UNMISTAKABLE_TOKENS = new RegExp(joinForms(UNMISTAKABLE), 'g');

export const WHOLE_WORD_TOKENS = new RegExp(`(?<![A-Za-z0-9_-])(?:${joinForms(WHOLE_WORDS)})(?![\\w-])`, 'g');

/** Password hashes of crypt and its like: `$6$…`, `$apr1$…`, `$2y$10$…`, `$argon2id$…`. */
export const CRYPT_HASHES =
  /\$(?:apr1|[156y]|2[abxy]|argon2(?:id|i|d)|scrypt|pbkdf2-sha\d{1,3})\$[./A-Za-z0-9$=,+-]{20,300}/g;

/** Forms known by what is in their middle (Terraform, Azure, Mailchimp); `needs`: without it no text is searched. */
export const MIDDLE_TOKENS: readonly { readonly needs: string; readonly pattern: RegExp }[] = [
  { needs: '.atlasv1.', pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g },
  { needs: 'Q~', pattern: /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/g },
  { needs: 'AZDO', pattern: /(?<![\w+/])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?!\w)/g },
  { needs: '-us', pattern: /-us\d{1,2}(?!\w)(?<=(?<!\w)([0-9a-f]{32}-us\d{1,2}))/dg },
];

const PASSWORDS = /(:\/\/[^\s:/@"'<>\\]{0,100}:)[^\s/"'<>\\@]{1,256}(?=@[^\s/@])/g;

/** The line without tokens that nothing else looks like, and without passwords in addresses. JSON stays JSON. */
export function removeKnownForms(line: string): string {
  return line.replace(UNMISTAKABLE_TOKENS, REDACTED).replace(PASSWORDS, `$1${REDACTED}`);
}
