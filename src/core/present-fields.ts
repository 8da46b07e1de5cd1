/** Objects without the fields that have no value. */

/** An object whose fields can be undefined, as an object whose fields can be missing. */
type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns the fields that are not undefined, in the same order. */
export function withoutUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  // Only fields that can be undefined are missing.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>;
}
