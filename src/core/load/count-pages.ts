/** Sparse tables of counts, for histograms in which most buckets are empty. */

const PAGE_BITS = 7;
const PAGE_SIZE = 1 << PAGE_BITS;

type Page = Uint32Array | Float64Array;

/** Pages of `PAGE_SIZE` counts each. A page whose counts are all 0 may be undefined. */
export type CountPages = (Page | undefined)[];

/** Width of the counts in bits. A 32-bit count wraps around at 2³². */
export type CountWidth = 32 | 53;

export function addCount(pages: CountPages, width: CountWidth, index: number, count: number): void {
  const page = pages[index >> PAGE_BITS] ?? createPage(pages, width, index >> PAGE_BITS);
  const offset = index & (PAGE_SIZE - 1);
  page[offset] = (page[offset] ?? 0) + count;
}

function createPage(pages: CountPages, width: CountWidth, index: number): Page {
  const page = width === 32 ? new Uint32Array(PAGE_SIZE) : new Float64Array(PAGE_SIZE);
  // Fills the gap with `undefined`, because arrays with holes are slower.
  while (pages.length < index) pages.push(undefined);
  pages[index] = page;
  return page;
}

/** Calls `visit` for each non-zero count, in ascending order of the indexes. */
export function forEachCount(
  pages: Readonly<CountPages>,
  visit: (count: number, index: number) => void,
): void {
  for (const [pageIndex, page] of pages.entries()) {
    if (page === undefined) continue;
    for (let offset = 0; offset < PAGE_SIZE; offset++) {
      const count = page[offset] ?? 0;
      if (count !== 0) visit(count, (pageIndex << PAGE_BITS) + offset);
    }
  }
}
