/** The one organisation of every data set: all other groups are directly below it. */
export const ORGANISATION = "0123456789abcdef0123456789abcdef01234567";
