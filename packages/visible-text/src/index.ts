// Text from outside without what nobody can see, and cut to a length.
export {
  cutText,
  foldSpaces,
  keepBeginning,
  listInvisible,
  markBlanks,
  removeInvisible,
  removeInvisibleIn,
  restoreBlanks,
  sanitiseLine,
  sanitiseText,
  showInvisible,
  truncate,
} from './text.ts';
