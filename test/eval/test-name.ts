// Whether two names are of one test: runners join file, suite, class and test in ways of their own.

/** `adds(shop.CartTest)`, `(tests.test_cart)` of a file that could not be read. */
const OF_CLASS = /^([^\s()]*) ?\(([^\s()]+)\)$/;
/** A class without its package, not a parameter's type. */
const CLASS = /^[A-Z]\w*(?:Test|Tests|TestCase|IT|Spec)$/;
/** nose, of a file that could not be read: the type is all that its reports keep. */
const COULD_NOT_READ = /^Failure: (\w+) \(.*\)$/;

/** Equal, or one of them says more of where it stands in front. */
export function isSameTest(one: string, other: string): boolean {
  const [a, b] = [plainName(one), plainName(other)];
  return a === b || endsWithPart(a, b) || endsWithPart(b, a);
}

function endsWithPart(whole: string, part: string): boolean {
  return part !== '' && (whole.endsWith(`.${part}`) || whole.endsWith(` ${part}`));
}

function plainName(name: string): string {
  const bare = withClassInFront(name.trim().replace(/\s+/g, ' ').replace(/:$/, '').replace(COULD_NOT_READ, '$1'));
  const parameters = bare.indexOf('[');
  const called = parameters < 0 ? bare : bare.slice(0, parameters);
  return `${joined(called)}${bare.slice(called.length)}`;
}

function withClassInFront(name: string): string {
  const [, test = '', of = ''] = OF_CLASS.exec(name) ?? [];
  if (of === '' || (test !== '' && !of.includes('.') && !CLASS.test(of))) return name;
  return test === '' || of.endsWith(`.${test}`) ? of : `${of}.${test}`;
}

function joined(name: string): string {
  return name
    .replace(/\.py(?=::|$)/, '')
    .replaceAll('::', '.')
    .replaceAll('/', '.')
    .replaceAll(' > ', '.')
    .replaceAll('$', '.')
    .replace(/\(\)$/, '');
}
