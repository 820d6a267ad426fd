/** The standard library as a whole. */
import type { Library } from '../functions/functions.ts'
import { arithmetic } from './arithmetic.ts'
import { collections } from './collections.ts'
import { comparison } from './comparison.ts'
import { conversions } from './conversions.ts'
import { text } from './text.ts'
import { time } from './time.ts'

/** The functions that every environment has. */
export const standard: Library = {
  name: 'standard',
  functions: [...arithmetic, ...comparison, ...collections, ...conversions, ...text, ...time],
}
