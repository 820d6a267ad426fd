/** The function libraries that expressions in API fields may use, besides the standard one (api-server.md section 2). */

import type { Library } from '../functions/functions.ts'
import { authorizerLibrary } from './authorizer.ts'
import { listsLibrary } from './lists.ts'
import { quantityLibrary } from './quantity.ts'
import { regexLibrary } from './regex.ts'
import { setsLibrary } from './sets.ts'
import { stringsLibrary } from './strings.ts'
import { urlLibrary } from './url.ts'

/**
 * The libraries of the release, including sets and the newer string functions, which the release knows but does not yet
 * accept in new expressions. IP addresses, formats and semantic versions belong to later releases and are not here.
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
