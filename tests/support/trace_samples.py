"""Stack traces as run-times print them, written for the tests."""

# ruff: noqa: E501

TRACES = {
    "Ruby 3.4": """app/models/order.rb:42:in 'Order#total': undefined method 'price' for nil (NoMethodError)
	from app/models/order.rb:41:in 'Array#each'
	from app/models/order.rb:41:in 'Enumerable#sum'
	from app/models/order.rb:41:in 'Order#total'
	from app/controllers/orders_controller.rb:17:in 'OrdersController#show'
	from bin/rails:4:in '<main>'
""",
    "Python": """Traceback (most recent call last):
  File "/srv/app/main.py", line 12, in <module>
    run(sys.argv[1:])
  File "/srv/app/main.py", line 8, in run
    return load(path)
           ^^^^^^^^^^
  File "/srv/app/load.py", line 31, in load
    with open(path) as file:
         ^^^^^^^^^^
FileNotFoundError: [Errno 2] No such file or directory: 'orders.json'
""",
    "Python, a group": """  + Exception Group Traceback (most recent call last):
  |   File "/srv/app/main.py", line 5, in <module>
  |     raise ExceptionGroup("several", errors)
  | ExceptionGroup: several (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/app/work.py", line 9, in one
    |     raise ValueError(1)
    | ValueError: 1
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/srv/app/work.py", line 14, in two
    |     raise TypeError(2)
    | TypeError: 2
    +------------------------------------
""",
    "Java": """Exception in thread "main" java.lang.IllegalStateException: A book has a null property
	at com.example.myproject.Author.getBookIds(Author.java:38)
	at com.example.myproject.Bootstrap.main(Bootstrap.java:14)
Caused by: java.lang.NullPointerException: Cannot invoke "String.length()" because "s" is null
	at com.example.myproject.Book.getId(Book.java:22)
	at com.example.myproject.Author.getBookIds(Author.java:35)
	... 1 more
""",
    "Java, wrapped": """org.springframework.web.util.NestedServletException: Request processing failed; nested exception is java.lang.RuntimeException: boom
	at org.springframework.web.servlet.FrameworkServlet.processRequest(FrameworkServlet.java:1014)
	at javax.servlet.http.HttpServlet.service(HttpServlet.java:497)
	at java.base/java.lang.Thread.run(Thread.java:833)
	at app//com.shop.Pay.charge(Pay.java:17) ~[classes/:na]
	at com.shop.Pay$1.run(Pay.java) [shop.jar:1.2]
	at com.shop.Native.call(Native Method)
	at com.shop.Gen$$Lambda$14/0x0000.apply(Unknown Source)
	Suppressed: java.io.IOException: close
		at com.shop.Res.close(Res.java:9)
		... 9 common frames omitted
Caused by: java.lang.RuntimeException: boom
	at com.shop.Pay.check(Pay.java:31)
	... 42 common frames omitted
""",
    "Go, signal": """panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a1b2c]

goroutine 7 [running]:
example.org/shop/pay.(*Client).Charge(0x0, {0x51a2b3, 0x6}, 0x2a)
	/src/shop/pay/client.go:42 +0x3c
example.org/shop/pay.handle({0x5a1c60, 0xc0000b2000}, 0xc0000a6000)
	/src/shop/pay/handler.go:18 +0x9f
net/http.HandlerFunc.ServeHTTP(0xc0000a0010?, {0x5a1c60?, 0xc0000b2000?}, 0x0?)
	/usr/local/go/src/net/http/server.go:2122 +0x29
created by net/http.(*Server).Serve in goroutine 1
	/usr/local/go/src/net/http/server.go:3086 +0x5cb
""",
    "Rust, without places": """thread 'tokio-runtime-worker' (81123) panicked at shop/src/pay.rs:17:9:
called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No such file or directory" }
stack backtrace:
   0: std::panicking::begin_panic_handler
   1: core::panicking::panic_fmt
   2: core::result::unwrap_failed
   3: shop::pay::charge
   4: shop::main
""",
    "Rust, anyhow": """Error: could not load the shop

Caused by:
    0: could not read orders.json
    1: No such file or directory (os error 2)

Stack backtrace:
   0: anyhow::error::<impl core::convert::From<E> for anyhow::Error>::from
             at /srv/.cargo/registry/src/anyhow-1.0.75/src/error.rs:565:25
   1: shop::load
             at ./src/load.rs:12:16
   2: shop::main
             at ./src/main.rs:5:5
""",
    "Node, a cause": """Error: could not charge
    at charge (file:///srv/shop/pay.mjs:20:9)
    at async handle (file:///srv/shop/server.mjs:8:3) {
  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432
      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16) {
    errno: -111,
    code: 'ECONNREFUSED',
    syscall: 'connect',
    address: '127.0.0.1',
    port: 5432
  }
}
""",
    "V8": """ReferenceError: total is not defined
    at /srv/shop/sum.js:3:14
    at Array.map (<anonymous>)
    at Object.<anonymous> (/srv/shop/sum.js:2:19)
    at Module._compile (node:internal/modules/cjs/loader:1256:14)
    at new Promise (<anonymous>)
    at async Promise.all (index 0)
    at eval (webpack-internal:///./src/a.js:7:1)
""",
    "SpiderMonkey": """TypeError: can't access property "price", order is undefined
total@https://shop.example.org/static/app.js:42:11
render@https://shop.example.org/static/app.js:97:5
@https://shop.example.org/static/app.js:120:1
async*start@https://shop.example.org/static/main.js:3:9
""",
    "browser": """Uncaught TypeError: Cannot read properties of undefined (reading 'price')
    at total (app.js:42:11)
    at render (app.js:97:5)
    at HTMLButtonElement.onclick ((index):12:1)
    at https://shop.example.org/static/app.js:120:1
""",
    "C#": """Unhandled exception. System.InvalidOperationException: Could not charge
 ---> System.ArgumentNullException: Value cannot be null. (Parameter 'card')
   at Shop.Pay.Check(Card card) in /src/Shop/Pay.cs:line 31
   at Shop.Pay.Charge(Order order) in /src/Shop/Pay.cs:line 17
   --- End of inner exception stack trace ---
   at Shop.Pay.Charge(Order order) in /src/Shop/Pay.cs:line 21
   at Shop.Program.Main(String[] args) in /src/Shop/Program.cs:line 9
""",
    "PHP, Laravel": """[previous exception] [object] (PDOException(code: 2002): SQLSTATE[HY000] [2002] Connection refused at /srv/shop/vendor/laravel/framework/src/Illuminate/Database/Connectors/Connector.php:70)
[stacktrace]
#0 /srv/shop/vendor/laravel/framework/src/Illuminate/Database/Connectors/Connector.php(70): PDO->__construct('mysql:host=127....', 'shop', 'secret', Array)
#1 /srv/shop/vendor/laravel/framework/src/Illuminate/Database/Connectors/MySqlConnector.php(24): Illuminate\\Database\\Connectors\\Connector->createConnection('mysql:host=127....', Array, Array)
#2 /srv/shop/app/Models/Order.php(31): Illuminate\\Database\\Connection->select()
#3 {main}
""",
    "PHP, Xdebug": """PHP Stack trace:
PHP   1. {main}() /srv/shop/index.php:0
PHP   2. Shop\\Pay->charge($amount = 'ten') /srv/shop/index.php:12
PHP   3. Shop\\Card->check() /srv/shop/src/Pay.php:17
""",
    "Perl": """Can't locate object method "price" via package "Order" at lib/Shop/Order.pm line 42.
	Shop::Order::total(HASH(0x55d0c8)) called at lib/Shop/Controller.pm line 17
	Shop::Controller::show(HASH(0x55d0c8), 7) called at bin/shop.pl line 9
	main::run() called at bin/shop.pl line 4
""",
    "gdb": """Program received signal SIGSEGV, Segmentation fault.
0x00005555555551a9 in total (order=0x0) at order.c:42
#0  0x00005555555551a9 in total (order=0x0) at order.c:42
#1  0x0000555555555201 in show (id=7) at controller.c:17
#2  0x0000555555555260 in main (argc=1, argv=0x7fffffffe0a8) at main.c:9
""",
    "AddressSanitizer": """=================================================================
==9901==ERROR: AddressSanitizer: heap-use-after-free on address 0x60700000dfb5 at pc 0x45917b bp 0x7fff4490c700 sp 0x7fff4490c6f8
READ of size 1 at 0x60700000dfb5 thread T0
    #0 0x45917a in main use-after-free.c:5
    #1 0x7fce9f25e76c in __libc_start_main /build/eglibc/csu/libc-start.c:226
    #2 0x459074 in _start (a.out+0x459074)
0x60700000dfb5 is located 5 bytes inside of 80-byte region [0x60700000dfb0,0x60700000e000)
freed by thread T0 here:
    #0 0x4441ee in __interceptor_free asan_malloc_linux.cc:64
    #1 0x45914a in main use-after-free.c:4
""",
    "Swift": """Fatal error: Index out of range: file Swift/ContiguousArrayBuffer.swift, line 600
Current stack trace:
0    libswiftCore.so                    0x00007f2a3c4d9d60 _swift_stdlib_reportFatalErrorInFile + 115
1    libswiftCore.so                    0x00007f2a3c1d3a6e <unavailable> + 1440366
2    shop                               0x000055d0c8a1b2c3 main + 179
""",
    "Elixir": """** (KeyError) key :price not found in: %{id: 7}
    (shop 0.1.0) lib/shop/order.ex:42: Shop.Order.total/1
    (elixir 1.15.7) lib/enum.ex:1693: Enum."-map/2-lists^map/1-1-"/2
    (shop 0.1.0) lib/shop_web/controllers/order_controller.ex:17: ShopWeb.OrderController.show/2
    (phoenix 1.7.10) lib/phoenix/router.ex:432: Phoenix.Router.__call__/5
""",
    "Lua": """lua: main.lua:3: attempt to index a nil value (local 'order')
stack traceback:
	main.lua:3: in function 'total'
	main.lua:7: in main chunk
	[C]: in ?
""",
    "Julia": """ERROR: LoadError: KeyError: key "price" not found
Stacktrace:
 [1] getindex(h::Dict{String, Int64}, key::String)
   @ Base ./dict.jl:498
 [2] total(order::Dict{String, Int64})
   @ Main ~/shop/order.jl:12
 [3] top-level scope
   @ ~/shop/main.jl:3
""",
    "Haskell": """shop: Prelude.head: empty list
CallStack (from HasCallStack):
  error, called at libraries/base/GHC/List.hs:1646:3 in base:GHC.List
  errorEmptyList, called at libraries/base/GHC/List.hs:85:11 in base:GHC.List
  head, called at app/Main.hs:9:15 in main:Main
""",
    "Dart": """Unhandled exception:
RangeError (index): Invalid value: Only valid value is 0: 5
#0      List.[] (dart:core-patch/growable_array.dart:264:36)
#1      total (file:///srv/shop/bin/order.dart:12:9)
#2      main (file:///srv/shop/bin/shop.dart:3:3)
""",
}
