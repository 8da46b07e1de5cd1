import { describe, expect, test } from 'vitest';
import { displayUrl } from '../../../src/core/model/url.ts';

describe('displayed URLs', () => {
  test.each([
    ['http://shop.example.com/cart', '"http://shop.example.com/cart"'],
    ['http://shop.example.com/@me', '"http://shop.example.com/@me"'],
    ['http://shop.example.com/cart?key=canary', '"http://shop.example.com/cart"'],
    ['http://shop.example.com/cart#canary', '"http://shop.example.com/cart"'],
    ['http://user:canary@shop.example.com/', '"http://***@shop.example.com/"'],
    ['http://user:canary#a@shop.example.com/', '"http://***@shop.example.com/"'],
    ['http://user:can/ary@shop.example.com/', '"http://***@shop.example.com/"'],
    ['user:canary@shop.example.com', '"***@shop.example.com"'],
  ])('the URL %s is displayed as %s', (url, shown) => {
    expect(displayUrl(url)).toBe(shown);
  });
});
