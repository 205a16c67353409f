// The positions of the games as plain data: text to data, data to text.
export * as backgammon from "./backgammon.js";
export * as kamisado from "./kamisado.js";
export * as linja from "./linja.js";
export { NotationError } from "./notation_error.js";
export * as tzaar from "./tzaar.js";
