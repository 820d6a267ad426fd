/** Findings in the words that clients of the platform know. */
export {
  duplicate,
  forbidden,
  invalid,
  notFound,
  problems,
  required,
  tooLong,
  unsupported,
} from '../kernel/causes.ts'
