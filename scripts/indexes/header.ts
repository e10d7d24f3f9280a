export const HEADER = "// Written by `npm run generate`. Do not edit.\n";
