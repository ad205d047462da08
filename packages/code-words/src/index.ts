// The words of source and of what is said about it, so that the two can be compared.
export { splitName, stemWord } from './names.ts';
export {
  findDefinedNames,
  findPart,
  forEachTerm,
  forEachWord,
  hashTerm,
  hashWord,
  isNumber,
  joinName,
  splitIntoTerms,
} from './terms.ts';
