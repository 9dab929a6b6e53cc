print('----')
best=min(((fit(c,9.4,5)[1],c) for c in np.arange(0.5,0.62,0.01)),key=lambda x:x[0]); print(best)
c=best[1]; p,e=fit(c,9.4,5); print(repr(np.float32(c/np.sqrt(2))), [repr(np.float32(x)) for x in p], e)
