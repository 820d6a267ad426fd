/** The libraries that expressions in API fields may use, beside the standard one (api-server.md section 2). */

import { authorizerLibrary } from './library/authorizer.ts'
import { listsLibrary } from './library/lists.ts'
import { quantityLibrary } from './library/quantity.ts'
import { regexLibrary } from './library/regex.ts'
import { setsLibrary } from './library/sets.ts'
import { stringsLibrary } from './library/strings.ts'
import { urlLibrary } from './library/url.ts'
import type { Library } from './library.ts'

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
