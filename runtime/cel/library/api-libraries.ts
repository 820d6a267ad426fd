/** The libraries that expressions in API fields may use, beside the standard one (api-server.md section 2). */

import type { Library } from '../functions/functions.ts'
import { authorizerLibrary } from './authorizer.ts'
import { listsLibrary } from './lists.ts'
import { quantityLibrary } from './quantity.ts'
import { regexLibrary } from './regex.ts'
import { setsLibrary } from './sets.ts'
import { stringsLibrary } from './strings.ts'
import { urlLibrary } from './url.ts'

/**
 * All of them: the release's, with sets and the newer functions on text, which it knows but does not yet let new
 * expressions use. Addresses, formats and semantic versions came later and are not here.
 */
export const apiLibraries: readonly Library[] = [
  stringsLibrary,
  listsLibrary,
  regexLibrary,
  urlLibrary,
  quantityLibrary,
  setsLibrary,
  authorizerLibrary,
]
