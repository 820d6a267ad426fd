import type { ObjectUpdate, ObjectWrite } from './object-write.ts'

/** Gives the object its share of the ranges that all objects of its kind divide among them. */
export async function allocate<W extends ObjectWrite>(write: W): Promise<W> {
  const { context, target } = write
  if (context.allocations === undefined || target.subresource !== undefined) return write
  const { old } = write as Partial<ObjectUpdate>
  const object = await context.allocations.allocate(write.object, old)
  return object === write.object ? write : { ...write, object, amended: true }
}
