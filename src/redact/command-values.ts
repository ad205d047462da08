// Secrets in the arguments of commands, whose flags say what they are.
import { isCredential, isRandom, isSecretLiteral, isStandIn } from './literals.ts';
import { NAME, VALUE } from './named-values.ts';
import type { Rule } from './rule.ts';

// Those whose `-p`, `-P`, `-w` or `-a` is a password; with a number behind it, it is a port.
const COMMANDS =
  'sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oras|oc|az|cf) login|redis-cli|mysql\\w{0,10}|mariadb(?:-\\w{1,10})?|mongo(?:sh|dump|restore|import|export)?|ldap(?:search|modify|add)|sqlcmd|7z';

export const COMMAND_VALUES: readonly Rule[] = [
  {
    pattern: /(\bcurl\b[^\n;|&]{0,300}?[ \t](?:-u|--user)[ =]?["']?[^\s:"']{1,100}:)([^\s"'\\\uFFFF]{4,256})/g,
    wrapped: 'start',
    accepts: (value) => !isStandIn(value) && !/^\d+$/.test(value),
  },
  {
    pattern: new RegExp(
      `(\\b(?:${COMMANDS})\\b[^\\n;|&]{0,300}?[ \\t]-[paPw][ =]?["']?)(?!\\d{1,5}(?![\\w-]))([^\\s"'\\\\\\uFFFF-][^\\s"'\\\\\\uFFFF]{5,255})`,
      'g',
    ),
    wrapped: 'start',
    accepts: (value) => isCredential(value) && isSecretLiteral(value, 'bare', true),
  },
  {
    // .netrc
    pattern: /(\blogin\s{1,10}\S{1,100}\s{1,10}password\s{1,10})([^\s\\\uFFFF]{4,256})/g,
    wrapped: 'start',
    accepts: isCredential,
  },
  {
    pattern: new RegExp(`(--(?:[a-z]{1,20}-){0,3}(?:${NAME}|pass|pat)[ =])(?:${VALUE})`, 'gi'),
    wrapped: 'start',
    accepts: (value, context) => {
      const name = context.replace(/^-.*-(?=\w)/, '');
      return /^pat[ =]/i.test(name) ? isRandom(value) : isSecretLiteral(value, 'quoted', /^(?:pass|pwd)/i.test(name));
    },
  },
];
