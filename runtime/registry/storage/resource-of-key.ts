import { chargesPrefix } from './charge-table.ts'
import { namesPrefix } from './name-table.ts'
import { serversPrefix } from './server-table.ts'
import { allocationsPrefix } from './stored-allocations.ts'

const noObjects = [allocationsPrefix, serversPrefix, namesPrefix, chargesPrefix]

/** The resource that a key of the store is of, all versions of it; undefined for what is no object. "" is the core group. */
export function resourceOfKey(
  key: string,
): { readonly group: string; readonly resource: string } | undefined {
  if (noObjects.some((prefix) => key.startsWith(prefix))) return undefined
  const end = key.indexOf('/', 1)
  const group = key.slice(1, end)
  return {
    group: group === 'core' ? '' : group,
    resource: key.slice(end + 1, key.indexOf('/', end + 1)),
  }
}
