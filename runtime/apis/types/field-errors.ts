/** Findings in the words that clients of the platform know. */
export {
  duplicate,
  forbidden,
  invalid,
  invalidAll,
  notFound,
  required,
  tooLong,
  unsupported,
} from '../../kernel/validation/field-errors.ts'
