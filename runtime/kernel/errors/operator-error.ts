/**
 * What keeps a program from starting or from going on, and is no defect of it: the message says what it is and what to do about it, and a
 * stack would say nothing more.
 */
export class OperatorError extends Error {}
