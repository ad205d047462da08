// Our own rules, for what the maintained ones miss or report wrongly. Every repetition is bounded or starts at a boundary: no text makes them slow.
import { COMMAND_VALUES } from './command-values.ts';
import { isCredential, isRandom, isSecretLiteral, isStandIn } from './literals.ts';
import { NAMED_VALUES } from './named-values.ts';
import type { Rule } from './rule.ts';
import { CRYPT_HASHES, MIDDLE_TOKENS, UNMISTAKABLE_TOKENS, WHOLE_WORD_TOKENS } from './token-forms.ts';

export const RULES: readonly Rule[] = [
  { pattern: UNMISTAKABLE_TOKENS, wrapped: 'form' },
  { pattern: WHOLE_WORD_TOKENS, wrapped: 'form', accepts: (token) => isRandom(token.slice(3)) },
  { needs: '$', pattern: CRYPT_HASHES, wrapped: 'form' },
  ...MIDDLE_TOKENS.map((token): Rule => ({ ...token, wrapped: 'form', accepts: isRandom })),
  {
    pattern: /(?<![A-Z0-9])(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g,
    wrapped: 'form',
  },
  {
    // The secret key beside its id: `AKIA…:…`, a line of CSV, two lines of a credentials file without names.
    pattern: /((?:AKIA|ASIA)[A-Z0-9]{16}[\s"',:;|]{1,8})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/g,
    wrapped: 'start',
  },
  {
    pattern: /(aws.{0,20}?(?:secret|key)["']?[ \t]{0,3}[:=]>?[ \t]{0,3}["']?)([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi,
    wrapped: 'start',
    accepts: (key) => !/^[0-9a-f]+$/.test(key),
  },
  // Telegram.
  { needs: ':AA', pattern: /(?<![\w:])\d{8,10}:AA[\w-]{33}(?![\w-])/g, wrapped: 'form' },
  {
    // JWT, JWS with an empty signature, JWE.
    needs: 'eyJ',
    pattern:
      /(?<![A-Za-z0-9_-])eyJ[\w-]{8,8000}\.(?:eyJ)?[\w-]{8,8000}\.[\w-]{0,8000}(?:\.[\w-]{1,8000}\.[\w-]{1,200})?/g,
    wrapped: 'form',
  },
  {
    pattern:
      /((?:proxy-)?authorization["']?[ \t]{0,3}[:=][ \t]{0,3}["'`]?(?:(?:bearer|basic|token|digest|negotiate|api-?key|aws4-hmac-sha256|key|ssws|geniekey|splunk|bot|pveapitoken=)[ \t]{1,3})?)([^\s"'`,;<>{}\\\uFFFF]{6,4000})/gi,
    wrapped: 'start',
    accepts: isCredential,
  },
  {
    pattern: /(\b(?:bearer|basic|ssws)[ \t]{1,3})([A-Za-z0-9._~+/=-]{16,4000})/gi,
    wrapped: 'start',
    accepts: (value) => isRandom(value) || /^[A-Za-z0-9+/]{16,}={1,2}$/.test(value),
  },
  {
    needs: '://',
    pattern: /(:\/\/[^\s:/@"'<>\\\uFFFF]{0,100}:)([^\s/"'<>\\\uFFFF]{1,256})(?=@[^\s/@])/g,
    wrapped: 'form',
    accepts: (password) => !isStandIn(password),
  },
  { needs: '://', pattern: /(:\/\/)([\w.~%+=-]{12,256})(?=@[^\s/@])/g, wrapped: 'form', accepts: isRandom },
  {
    pattern:
      /([?&](?:access_token|auth_token|token|api_?key|key|sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|client_secret|password|secret)=)([^\s&#"'`<>\\\uFFFF]{8,2000})/gi,
    wrapped: 'start',
    accepts: (value, context) => isSecretLiteral(value, /pass/i.test(context) ? 'environment' : 'quoted', false),
  },
  {
    // The code of OAuth, good for one token; short ones are error codes.
    pattern: /([?&](?:code|code_verifier|oauth_verifier|id_token_hint|refresh_token)=)([\w./~%-]{20,2000})/g,
    wrapped: 'start',
    accepts: isRandom,
  },
  ...COMMAND_VALUES,
  ...NAMED_VALUES,
];
