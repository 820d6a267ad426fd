import type { Library } from '../functions/functions.ts'
import { arithmetic } from './arithmetic.ts'
import { collections } from './collections.ts'
import { comparison } from './comparison.ts'
import { conversions } from './conversions.ts'
import { text } from './text.ts'
import { time } from './time.ts'

/** The standard library of the language. */
export const standard: Library = {
  name: 'standard',
  functions: [...arithmetic, ...comparison, ...collections, ...conversions, ...text, ...time],
}
