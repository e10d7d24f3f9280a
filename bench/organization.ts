/** The UID of the organization of every data set: the parent of all other groups. */
export const ORGANIZATION = "0123456789abcdef0123456789abcdef01234567";
