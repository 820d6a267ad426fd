/** Changes by spread that keep identity where nothing changes, so that callers can tell an untouched object by `===`. */

type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** `object` with fields replaced; undefined removes a field. The same object if nothing differs. */
export function change<T extends object>(object: T, fields: Changes<T>): T {
  const keys = Object.keys(fields) as (keyof T)[]
  if (keys.every((key) => object[key] === fields[key])) return object
  const next = { ...object, ...fields } as T
  for (const key of keys) if (fields[key] === undefined) delete next[key]
  return next
}

/** The items changed one by one. The same list if no item differs. */
export function changeAll<L extends readonly unknown[] | null | undefined>(
  list: L,
  to: (item: NonNullable<L>[number], index: number) => NonNullable<L>[number],
): L {
  if (!list) return list
  const next = list.map(to)
  return next.every((item, index) => item === list[index]) ? list : (next as unknown as L)
}
